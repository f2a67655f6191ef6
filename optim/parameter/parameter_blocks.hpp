#pragma once
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// The parameters of a fit grouped by what they act on: those of one particle (mass, charge, initial state) and of the
/// springs whose first free end it is form a block; each shared parameter forms its own. Every parameter is in one
/// block, and blocks are in the order of their first parameter. The values of one particle are the most strongly
/// correlated, since all of them change only its motion.
std::vector<std::vector<Index>> find_blocks(const ParameterMap& map);

}  // namespace pithball::optim
