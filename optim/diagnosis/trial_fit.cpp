#include "optim/diagnosis/trial_fit.hpp"

namespace pithball::optim {

TrialFit::TrialFit(const ScoreTester& tester, const Eigen::MatrixXd& G)
    : tester_(&tester), G_(G), further_(tester.unexplained(G)), rows_(tester.rows()) {
  const Eigen::MatrixXd more = basis_of(further_);
  columns_.resize(tester.all_rows(), tester.basis().cols() + more.cols());
  columns_ << tester.basis(), more;
  derivative_ = columns_;
  at_ = Vector::Zero(columns_.cols());
  plan();
}

void TrialFit::plan() {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(derivative_);
  step_ = qr.solve(-rows_);
  remaining_ = (rows_ + derivative_ * step_).squaredNorm();
}

Vector TrialFit::beta() const {
  const Index q = columns_.cols() - tester_->basis().cols();
  return further_.solve(columns_.rightCols(q) * (at_ + step_).tail(q));
}

Vector TrialFit::fitted_step() const {
  return tester_->explained_step(columns_ * (at_ + step_) - tester_->weighted(G_ * beta()));
}

void TrialFit::take(const Vector& r) {
  const Vector rows = tester_->rows_after(r, fitted_step());
  derivative_ += (rows - rows_ - derivative_ * step_) * step_.transpose() / step_.squaredNorm();
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
