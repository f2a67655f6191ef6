#pragma once
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// The parameters of a fit by what they act on: those of one particle (its mass, its charge, a start) and of the
/// springs whose first free end it is make a block; what is shared by several makes one of its own. Each parameter is
/// in one block, and blocks are in the order of their first parameter. Values of one particle are what recordings tell
/// apart least: all of them change its motion alone.
std::vector<std::vector<Index>> find_blocks(const ParameterMap& map);

}  // namespace pithball::optim
