#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Whether all components are finite. 0 p is 0 for those and NaN for others; their sum is several times faster than
/// comparisons one by one.
inline bool is_finite(const Points& p) { return (0 * flat(p)).sum() == 0; }

}  // namespace pithball::sim
