#include "optim/uncertainty/significance.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <string>
#include <unsupported/Eigen/SpecialFunctions>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Solves f(x) = probability for x ≥ 0, where f increases from f(0) = 0 to f(∞) = 1.
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

double f_tail(double f, double q, double degrees) {
  if (std::isnan(f)) return NAN;
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  return Eigen::numext::betainc(degrees / 2, q / 2, degrees / (degrees + q * f));
}

namespace {

/// Inverts a covariance independently of units; empty if it is singular.
Eigen::MatrixXd invert(const Eigen::MatrixXd& V) {
  const Vector scale = V.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> root(scale.asDiagonal() * V * scale.asDiagonal());
  if (root.info() != Eigen::Success) return {};
  return scale.asDiagonal() * root.solve(Eigen::MatrixXd::Identity(V.rows(), V.cols())) * scale.asDiagonal();
}

}  // namespace

double test_equality(const std::vector<ComparedEstimate>& all) {
  const Index P = all.front().y.size();
  std::vector<Eigen::MatrixXd> weights;
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(P, P);
  Vector mean = Vector::Zero(P);
  for (const ComparedEstimate& one : all) {
    weights.push_back(invert(one.V));
    if (weights.back().size() == 0) return std::numeric_limits<double>::quiet_NaN();
    sum += weights.back();
    mean += weights.back() * one.y;
  }
  const Eigen::MatrixXd whole = invert(sum);
  if (whole.size() == 0) return std::numeric_limits<double>::quiet_NaN();
  mean = whole * mean;
  double Q = 0, A = 0;
  for (std::size_t j = 0; j < all.size(); ++j) {
    const Vector away = all[j].y - mean;
    const Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(P, P) - whole * weights[j];
    Q += away.dot(weights[j] * away);
    A += ((rest * rest).trace() + rest.trace() * rest.trace()) / (2 * all[j].degrees);
  }
  const double n = static_cast<double>(P) * static_cast<double>(all.size() - 1);
  return f_tail(Q / (n + 2 * A - 6 * A / (n + 2)), n, n * (n + 2) / (3 * A));
}

double between_variance(const std::vector<ComparedEstimate>& all) {
  const auto G = static_cast<Index>(all.size());
  Vector y(G), v(G);
  for (Index j = 0; j < G; ++j) {
    y[j] = all[j].y[0];
    v[j] = all[j].V(0, 0);
  }
  const double free = static_cast<double>(G - 1);
  const auto is_below = [&](double tau_square) {
    const Eigen::ArrayXd w = (v.array() + tau_square).inverse();
    const double mean = (w * y.array()).sum() / w.sum();
    return (w * (y.array() - mean).square()).sum() > free;
  };
  double low = 0, high = (y.array() - y.mean()).square().sum() / free;  // τ² if all v were 0
  if (!is_below(low)) return 0;
  while (is_below(high)) high *= 2;
  for (int step = 0; step < std::numeric_limits<double>::digits; ++step) {
    const double middle = (low + high) / 2;
    (is_below(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace pithball::optim
