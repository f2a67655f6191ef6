#include "optim/uncertainty/equality_test.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "optim/uncertainty/tail_probability.hpp"

namespace pithball::optim {
namespace {

/// The inverse of a covariance whatever the units; empty: singular.
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
