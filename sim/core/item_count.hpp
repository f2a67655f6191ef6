#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// As the count of `Settings::per_item`: the number of items is that of the list, which must be written.
inline constexpr Index as_written = -1;

}  // namespace pithball::sim
