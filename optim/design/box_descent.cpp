#include "optim/design/box_descent.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pithball::optim {
namespace {

constexpr double difference = 1e-4;
constexpr double least_decrease = 1e-4;
constexpr double armijo = 1e-4;  // share of the predicted decrease that a step must reach
constexpr int most_halvings = 12;

Vector into_box(const Vector& x) { return x.cwiseMax(0).cwiseMin(1); }

/// Derivatives by differences; 0 where the neighbor cannot be evaluated.
Vector gradient_of(const std::function<double(const Vector&)>& function, const BoxDescent& at) {
  Vector gradient = Vector::Zero(at.x.size());
  for (Eigen::Index k = 0; k < at.x.size(); ++k) {
    Vector beside = at.x;
    const double step = at.x[k] > 0.5 ? -difference : difference;
    beside[k] += step;
    const double slope = (function(beside) - at.value) / step;
    if (std::isfinite(slope)) gradient[k] = slope;
  }
  return gradient;
}

/// The length of a first step: it moves the fastest coordinate by a quarter of the box.
double first_length(const Vector& gradient) { return 0.25 / std::max(gradient.lpNorm<Eigen::Infinity>(), 1e-300); }

}  // namespace

BoxDescent descend_in_box(const std::function<double(const Vector&)>& function, const Vector& start,
                          int most_iterations) {
  BoxDescent at{into_box(start), function(into_box(start))};
  if (!std::isfinite(at.value)) return at;
  Vector gradient = gradient_of(function, at);
  double length = first_length(gradient);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Vector step = into_box(at.x - length * gradient) - at.x;
    const double slope = gradient.dot(step);
    if (!(slope < 0)) break;
    BoxDescent tried;
    double share = 1;
    for (int halving = 0; halving < most_halvings; ++halving, share /= 2) {
      tried.x = into_box(at.x + share * step);
      tried.value = function(tried.x);
      if (tried.value <= at.value + armijo * share * slope) break;
    }
    if (!(tried.value < at.value)) break;
    const double decrease = at.value - tried.value;
    const Vector moved = tried.x - at.x;
    at = std::move(tried);
    if (decrease < least_decrease) break;
    const Vector next = gradient_of(function, at);
    const double curvature = moved.dot(next - gradient);
    gradient = next;
    length = curvature > 0 ? moved.squaredNorm() / curvature : first_length(gradient);
  }
  return at;
}

}  // namespace pithball::optim
