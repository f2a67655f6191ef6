#include "optim/diagnosis/trial_fit.hpp"

#include <limits>

namespace pithball::optim {
namespace {

void append(Eigen::MatrixXd& matrix, const Vector& column) {
  matrix.conservativeResize(column.size(), matrix.cols() + 1);
  matrix.rightCols(1) = column;
}

}  // namespace

TrialFit::TrialFit(const ScoreTester& tester, const Eigen::MatrixXd& G)
    : tester_(&tester), G_(G), further_(tester.unexplained(G)), more_(basis_of(further_)), rows_(tester.rows()) {
  const Index coordinates = fitted() + more_.cols();
  mends_.resize(tester.all_rows(), 0);
  directions_.resize(coordinates, 0);
  at_ = Vector::Zero(coordinates);
  plan();
}

Vector TrialFit::times_columns(const Vector& c) const {
  return tester_->basis() * c.head(fitted()) + more_ * c.tail(more_.cols());
}

Eigen::MatrixXd TrialFit::columns_times(const Eigen::MatrixXd& rows) const {
  Eigen::MatrixXd product(at_.size(), rows.cols());
  product << tester_->basis().transpose() * rows, more_.transpose() * rows;
  return product;
}

Vector TrialFit::times_derivative(const Vector& c) const {
  return times_columns(c) + mends_ * (directions_.transpose() * c);
}

void TrialFit::plan() {
  // Normal equations; Q is orthonormal, so that without mends they are those of the identity.
  const Eigen::MatrixXd across = columns_times(mends_) * directions_.transpose();
  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(at_.size(), at_.size()) + across + across.transpose();
  normal += directions_ * (mends_.transpose() * mends_) * directions_.transpose();
  const Vector slope = columns_times(rows_) + directions_ * (mends_.transpose() * rows_);
  step_ = -normal.ldlt().solve(slope);
  remaining_ = (rows_ + times_derivative(step_)).squaredNorm();
}

Vector TrialFit::beta() const { return further_.solve(more_ * (at_ + step_).tail(more_.cols())); }

Vector TrialFit::fitted_step() const {
  return tester_->explained_step(times_columns(at_ + step_) - tester_->weighted(G_ * beta()));
}

void TrialFit::take(const Vector& r) {
  const Vector rows = tester_->rows_after(r, fitted_step());
  const Vector unpredicted = rows - rows_ - times_derivative(step_);
  append(mends_, unpredicted / step_.squaredNorm());
  append(directions_, step_);
  rows_ = rows;
  at_ += step_;
  has_failed_ = false;
  plan();
}

void TrialFit::take_failure() {
  if (has_failed_) remaining_ = std::numeric_limits<double>::infinity();
  has_failed_ = true;
  step_ /= 2;
}

double TrialFit::gain() const { return tester_->decrease_to(remaining_); }

}  // namespace pithball::optim
