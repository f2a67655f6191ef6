#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// All pairs a < b of parameters of one declaration that are neighbors on the mesh: the two ends of a spring, for
/// particle values, or two springs that share a particle, for spring values. Each pair once, ascending; vectors by
/// component, key frames by key time. Empty for values of terms, which have no position on the mesh.
std::vector<std::pair<Index, Index>> find_neighbors(const ParameterMap& map, Index declaration,
                                                    const std::string& value);

}  // namespace pithball::optim
