#pragma once
#include <memory>
#include <vector>

#include "sim/coulomb/direct/pair_sums.hpp"

namespace pithball::sim::direct {

/// The pairs among n points in which one of `some` (ascending, each once) occurs: each of these points with all others,
/// and each other point with these.
std::shared_ptr<const PairPattern> partial_pattern(Index n, const std::vector<Index>& some);

}  // namespace pithball::sim::direct
