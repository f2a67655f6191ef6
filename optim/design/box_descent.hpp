#pragma once
#include <functional>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Vector;

/// Result of a search in the unit box.
struct BoxDescent {
  Vector x;          ///< the best point found, n numbers from 0 to 1
  double value = 0;  ///< the function there
};

/// Minimizes a function on the box 0 ≤ x_k ≤ 1, in which it varies smoothly, by spectral projected gradients (Birgin,
/// Martínez & Raydan, SIAM J. Optim. 10, 2000) with differences of 1e-4 as derivatives, taken into the box. It ends
/// after `most_iterations`, or if a step lowers the function by less than 1e-4. Where the function is not finite, steps
/// become shorter. `start`: n, in the box.
BoxDescent descend_in_box(const std::function<double(const Vector&)>& function, const Vector& start,
                          int most_iterations);

}  // namespace pithball::optim
