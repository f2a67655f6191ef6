#include "optim/observation/smooth_field.hpp"

#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

/// A value or slope at one place of the kernel r³ around another, whose own condition is a value or slope;
/// `z`: from that other place to the first. A slope at the other place has the opposite sign.
double cubic_kernel(const Vector& z, Index along, Index other_along) {
  const double r = z.norm();
  if (along < 0 && other_along < 0) return r * r * r;
  if (other_along < 0) return 3 * r * z[along];
  if (along < 0) return -3 * r * z[other_along];
  return r > 0 ? -3 * (r * (along == other_along) + z[along] * z[other_along] / r) : 0;
}

}  // namespace

SmoothField::SmoothField(const Eigen::MatrixXd& nodes, const std::vector<Index>& clamped) : nodes_(nodes) {
  const Index n = nodes.cols(), k = nodes.rows();
  first_ = nodes.col(0);
  nodes_.colwise() -= first_;
  const double farthest = k > 0 ? nodes_.colwise().norm().maxCoeff() : 0;
  if (farthest > 0) extent_ = farthest;
  nodes_ /= extent_;
  for (Index i = 0; i < n; ++i) conditions_.push_back({i, -1});
  for (const Index i : clamped)
    for (Index a = 0; a < k; ++a) conditions_.push_back({i, a});
  const Index m = static_cast<Index>(conditions_.size()), size = m + k + 1;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size, size);
  for (Index i = 0; i < m; ++i) {
    const Condition& condition = conditions_[i];
    A.row(i) = row(first_ + extent_ * nodes_.col(condition.node), condition.along).transpose();
  }
  A.bottomRows(k + 1) = A.rightCols(k + 1).transpose().eval();
  coefficients_ = sim::solve_least_squares(A, Eigen::MatrixXd::Identity(size, n)).X;
}

Vector SmoothField::row(const Vector& place, Index along) const {
  const Index m = static_cast<Index>(conditions_.size()), k = nodes_.rows();
  const Vector p = (place - first_) / extent_;
  Vector entries = Vector::Zero(m + k + 1);
  for (Index j = 0; j < m; ++j)
    entries[j] = cubic_kernel(p - nodes_.col(conditions_[j].node), along, conditions_[j].along);
  if (along >= 0) {
    entries[m + 1 + along] = 1;
  } else {
    entries[m] = 1;
    entries.tail(k) = p;
  }
  return entries;
}

Vector SmoothField::weights(const Vector& place) const { return coefficients_.transpose() * row(place, -1); }

Eigen::MatrixXd SmoothField::slope_weights(const Vector& place) const {
  Eigen::MatrixXd slopes(coefficients_.cols(), nodes_.rows());
  for (Index a = 0; a < nodes_.rows(); ++a) slopes.col(a) = coefficients_.transpose() * row(place, a) / extent_;
  return slopes;
}

}  // namespace pithball::optim
