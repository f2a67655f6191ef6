#include "optim/measurement/time_weights.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {
namespace {

std::vector<StepWeight> hermite_weights(const RunTime& time) {
  const double h = time.time_step, nearest = std::round(time.step);
  if (std::abs(time.step - nearest) < 1e-9) return {{static_cast<Index>(nearest), 1, 0, 0, 1}};
  const Index n = std::min(static_cast<Index>(std::floor(time.step)), time.steps - 1);
  const double s = time.step - static_cast<double>(n), c = 1 - s;
  return {{n, (1 + 2 * s) * c * c, s * c * c * h, -6 * s * c / h, c * (1 - 3 * s)},
          {n + 1, s * s * (3 - 2 * s), -s * s * c * h, 6 * s * c / h, s * (3 * s - 2)}};
}

/// Returns the derivative of this order, at s, of the polynomial that is 1 at node j and 0 at the other nodes 0 …
/// count−1; the factors of the nodes in `without` (a bit mask) are already differentiated.
double lagrange(int count, int j, double s, int order, unsigned without) {
  if (order == 0) {
    double product = 1;
    for (int k = 0; k < count; ++k)
      if (!(without >> k & 1U)) product *= (s - k) / (j - k);
    return product;
  }
  double sum = 0;
  for (int a = 0; a < count; ++a)
    if (!(without >> a & 1U)) sum += lagrange(count, j, s, order - 1, without | 1U << a) / (j - a);
  return sum;
}

/// Returns the weights of the velocities in a derivative of their interpolation polynomial.
std::vector<StepWeight> lagrange_weights(int derivative, const RunTime& time) {
  constexpr Index most = 4;
  const Index count = std::min(most, time.steps + 1);
  const Index first = std::clamp<Index>(static_cast<Index>(std::floor(time.step)) - 1, 0, time.steps + 1 - count);
  const double s = time.step - static_cast<double>(first);
  std::vector<StepWeight> weights;
  for (int j = 0; j < count; ++j) {
    const auto at = [&](int order) {
      return lagrange(static_cast<int>(count), j, s, order, 1U << j) / std::pow(time.time_step, order);
    };
    weights.push_back({first + j, 0, at(derivative), 0, at(derivative + 1)});
  }
  return weights;
}

}  // namespace

std::vector<StepWeight> find_step_weights(Motion motion, const RunTime& time) {
  if (motion == Motion::Velocity) return lagrange_weights(0, time);
  if (motion == Motion::Acceleration) return lagrange_weights(1, time);
  std::vector<StepWeight> weights = hermite_weights(time);
  if (motion == Motion::Displacement) weights.push_back({0, -1, 0, 0, 0});
  return weights;
}

}  // namespace pithball::optim
