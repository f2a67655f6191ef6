#include "optim/residual/stacked_residual.hpp"

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

class StackedLinearization final : public Linearization {
 public:
  StackedLinearization(std::unique_ptr<Linearization> above, std::unique_ptr<Linearization> below)
      : above_(std::move(above)), below_(std::move(below)), r_(above_->residual().size() + below_->residual().size()) {
    r_ << above_->residual(), below_->residual();
  }
  const Vector& residual() const override { return r_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    Vector upper, lower;
    Evaluation evaluation = above_->jvp(d, upper);
    if (evaluation.ok()) evaluation = below_->jvp(d, lower);
    if (!evaluation.ok()) return evaluation;
    Jd.resize(r_.size());
    Jd << upper, lower;
    return {};
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    Vector share;
    Evaluation evaluation = above_->vjp(w.head(above_->residual().size()), Jtw);
    if (evaluation.ok()) evaluation = below_->vjp(w.tail(below_->residual().size()), share);
    if (evaluation.ok()) Jtw += share;
    return evaluation;
  }
  Evaluation normal_diagonal(Vector& diagonal) const override {
    Vector share;
    Evaluation evaluation = above_->normal_diagonal(diagonal);
    if (evaluation.ok()) evaluation = below_->normal_diagonal(share);
    if (evaluation.ok()) diagonal += share;
    return evaluation;
  }

 private:
  std::unique_ptr<Linearization> above_, below_;
  Vector r_;
};

}  // namespace

StackedResidual::StackedResidual(const Residual& above, const Residual& below) : above_(above), below_(below) {
  if (above.parameters() != below.parameters())
    throw InvalidArgument({"", "stacked residuals", "must have the same number of parameters",
                           std::to_string(above.parameters()) + " and " + std::to_string(below.parameters()), ""});
}

Evaluation StackedResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  // What is cheap comes last but may fail; the rows of a small `below` join those that are there.
  Evaluation evaluation = above_.evaluate(theta, r, jacobian);
  if (!evaluation.ok() || below_.rows() == 0) return evaluation;
  Vector share;
  Eigen::MatrixXd J;
  evaluation = below_.evaluate(theta, share, jacobian ? &J : nullptr);
  if (!evaluation.ok()) return evaluation;
  r.conservativeResize(rows());
  r.tail(share.size()) = share;
  if (jacobian) {
    jacobian->conservativeResize(rows(), Eigen::NoChange);
    jacobian->bottomRows(share.size()) = J;
  }
  return evaluation;
}

Evaluation StackedResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  Evaluation evaluation = above_.linearize(theta, at);
  if (!evaluation.ok() || below_.rows() == 0) return evaluation;
  std::unique_ptr<Linearization> below;
  evaluation = below_.linearize(theta, below);
  if (evaluation.ok())
    at = std::make_unique<StackedLinearization>(std::move(at), std::move(below));
  else
    at.reset();
  return evaluation;
}

}  // namespace pithball::optim
