#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim::fmm {

/// Stable sort of `keys`, and of `order` with them, by `bits` bits from `low_bit` on. Blocks of keys are counted and
/// moved by different threads; the keys of a block go after those of earlier blocks with the same digit, so that the
/// result does not depend on the number of threads. O(n) for each eleven bits.
void radix_sort(std::vector<std::uint64_t>& keys, std::vector<Index>& order, int low_bit, int bits);

}  // namespace pithball::sim::fmm
