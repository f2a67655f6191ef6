#pragma once
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Reads `smoothing` w ≥ 0 [m] of a contact (`kernel::smoothed_depth`); 0, the default: none.
inline double ask_smoothing(Settings& settings) {
  return settings.number("smoothing", "m",
                         "half the way w over which a contact begins, from depth −w, where the force is 0, to w, where "
                         "it is k d; 0: at once, and gradients through a touch are wrong",
                         0, ValueSign::NonNegative);
}

}  // namespace pithball::sim
