#include "optim/uncertainty/student_t.hpp"

#include <cmath>
#include <string>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double pi = 3.14159265358979323846;

/// The x ≥ 0 with f(x) = probability for an increasing f with f(0) = 0 and f(∞) = 1.
template <class Function>
double solve(Function f, double probability) {
  double low = 0, high = 1;
  while (f(high) < probability) high *= 2;
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (f(middle) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double student_t_probability(double t, long degrees) {
  if (degrees < 1) throw InvalidArgument({"", "degrees of freedom", "must be >= 1", std::to_string(degrees), ""});
  const double angle = std::atan2(t, std::sqrt(degrees));
  const double cosine = std::cos(angle), square = cosine * cosine;
  const bool odd = degrees % 2 == 1;
  // Sum of c_k cos^(2k)(angle): c_k/c_(k−1) is 2k/(2k+1) for odd and (2k−1)/(2k) for even degrees of freedom.
  double term = 1, sum = degrees > 1 ? 1 : 0;
  for (long k = 1; k <= (degrees - 2 - (odd ? 1 : 0)) / 2; ++k) {
    const double n = 2 * k;
    term *= square * (odd ? n / (n + 1) : (n - 1) / n);
    sum += term;
  }
  return odd ? 2 / pi * (angle + std::sin(angle) * cosine * sum) : std::sin(angle) * sum;
}

double student_t_quantile(double probability, long degrees) {
  if (!(probability > 0 && probability < 1))
    throw InvalidArgument({"", "probability", "must lie between 0 and 1", std::to_string(probability), ""});
  if (degrees <= 1000) return solve([=](double t) { return student_t_probability(t, degrees); }, probability);
  const double z = solve([](double x) { return std::erf(x / std::sqrt(2.0)); }, probability);
  const double n = static_cast<double>(degrees), z2 = z * z;
  return z * (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n));
}

double one_sided_quantile(double probability, long degrees) {
  return probability > 0.5 ? student_t_quantile(2 * probability - 1, degrees) : 0;  // P(T ≤ t) = ½ + ½ P(|T| ≤ t)
}

}  // namespace pithball::optim
