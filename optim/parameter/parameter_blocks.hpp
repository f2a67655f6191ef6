#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// The parameters of a fit grouped by what they act on: those of one particle (mass, charge, initial state) and of the
/// springs whose first free end it is form a block; each shared parameter forms its own. Every parameter is in one
/// block, and blocks are in the order of their first parameter. The values of one particle are the most strongly
/// correlated, since all of them change only its motion.
std::vector<std::vector<Index>> find_blocks(const ParameterMap& map);

/// All pairs a < b of parameters of one declaration that are neighbors on the mesh: the two ends of a spring, for
/// particle values, or two springs that share a particle, for spring values. Each pair once, ascending; vectors by
/// component, key frames by key time. Empty for values of terms, which have no position on the mesh.
std::vector<std::pair<Index, Index>> find_neighbors(const ParameterMap& map, Index declaration,
                                                    const std::string& value);

}  // namespace pithball::optim
