#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// All pairs a < b of parameters of one declaration that belong to neighbors on the mesh: the two ends of a spring,
/// for a value of particles, or two springs that meet at a particle, for a value of springs. Each pair once, ascending;
/// vectors by component, key frames by key time. Empty for values of terms, which have no place on the mesh.
std::vector<std::pair<Index, Index>> find_neighbors(const ParameterMap& map, Index declaration,
                                                    const std::string& value);

}  // namespace pithball::optim
