#pragma once
#include <algorithm>
#include <cmath>

namespace pithball::sim {

/// A time step to write instead of another one: at most `wanted` > 0 [s], and the present `step` [s] divided by a whole
/// number, so that a duration stays a whole number of steps: 1, 2, 4, 5 or 8 times a power of ten, which leaves few
/// digits.
inline double dividing_step(double step, double wanted) {
  const double tens = std::pow(10, std::floor(std::log10(std::max(1.0, step / wanted))));
  double parts = tens;
  for (const double digit : {2, 4, 5, 8, 10})
    if (parts * wanted < step) parts = digit * tens;
  return step / parts;
}

}  // namespace pithball::sim
