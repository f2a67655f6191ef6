#include "optim/residual/residual.hpp"

#include <random>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

class DenseLinearization final : public Linearization {
 public:
  DenseLinearization(Vector r, Eigen::MatrixXd J) : r_(std::move(r)), J_(std::move(J)) {}
  const Vector& residual() const override { return r_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    Jd = J_ * d;
    return {};
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    Jtw = J_.transpose() * w;
    return {};
  }
  Evaluation jvp_block(const Eigen::MatrixXd& D, Eigen::MatrixXd& JD) const override {
    JD = J_ * D;
    return {};
  }
  Evaluation vjp_block(const Eigen::MatrixXd& W, Eigen::MatrixXd& JtW) const override {
    JtW = J_.transpose() * W;
    return {};
  }
  Evaluation normal_diagonal(Vector& diagonal) const override {
    diagonal = J_.colwise().squaredNorm().transpose();
    return {};
  }

 private:
  Vector r_;
  Eigen::MatrixXd J_;
};

}  // namespace

Evaluation Linearization::normal_product(const Vector& d, Vector& JtJd) const {
  Vector Jd;
  const Evaluation evaluation = jvp(d, Jd);
  return evaluation.ok() ? vjp(Jd, JtJd) : evaluation;
}

namespace {

/// Calls `product(column, result)` for each column, and puts the results side by side.
template <class Product>
Evaluation for_each_column(const Eigen::MatrixXd& columns, Eigen::MatrixXd& products, Product product) {
  Vector one;
  for (Index c = 0; c < columns.cols(); ++c) {
    if (Evaluation evaluation = product(columns.col(c), one); !evaluation.ok()) return evaluation;
    if (c == 0) products.resize(one.size(), columns.cols());
    products.col(c) = one;
  }
  return {};
}

}  // namespace

Evaluation Linearization::jvp_block(const Eigen::MatrixXd& D, Eigen::MatrixXd& JD) const {
  return for_each_column(D, JD, [this](const Vector& d, Vector& Jd) { return jvp(d, Jd); });
}

Evaluation Linearization::vjp_block(const Eigen::MatrixXd& W, Eigen::MatrixXd& JtW) const {
  return for_each_column(W, JtW, [this](const Vector& w, Vector& Jtw) { return vjp(w, Jtw); });
}

Evaluation Linearization::normal_diagonal(Vector& diagonal) const {
  constexpr int probes = 8;
  std::mt19937_64 random(1);  // its bits are the same on all platforms, unlike distributions
  Eigen::MatrixXd z(residual().size(), probes), Jtz;
  for (double& sign : z.reshaped()) sign = random() >> 63 ? 1 : -1;
  if (const Evaluation evaluation = vjp_block(z, Jtz); !evaluation.ok()) return evaluation;
  diagonal = Vector::Zero(Jtz.rows());
  for (int probe = 0; probe < probes; ++probe) diagonal += Jtz.col(probe).cwiseAbs2() / probes;
  return {};
}

Evaluation Residual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  at.reset();
  Vector r;
  Eigen::MatrixXd J;
  Evaluation evaluation = evaluate(theta, r, &J);
  if (evaluation.ok()) at = std::make_unique<DenseLinearization>(std::move(r), std::move(J));
  return evaluation;
}

Evaluation LeastSquares::evaluate(const Vector& theta, double& loss, Vector* gradient) const {
  if (!gradient) {
    Vector r;
    const Evaluation evaluation = residual_.evaluate(theta, r, nullptr);
    if (evaluation.ok()) loss = r.squaredNorm() / 2;
    return evaluation;
  }
  std::unique_ptr<Linearization> at;
  if (const Evaluation evaluation = residual_.linearize(theta, at); !evaluation.ok()) return evaluation;
  loss = at->residual().squaredNorm() / 2;
  return at->gradient(*gradient);
}

ResidualStructure Residual::structure() const {
  ResidualStructure dense{std::vector<Index>(parameters(), 1), {{0, rows(), {}}}};
  for (Index k = 0; k < parameters(); ++k) dense.parts.front().uses.push_back({k, k});
  return dense;
}

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
  // `below` is cheap and has few rows, which are appended to those of `above`.
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

namespace {

/// With up to this many directions, a run with derivatives takes about three times as long as one without. If the point
/// is accepted, the run without derivatives is saved; if it is rejected, the derivatives are wasted.
constexpr Index most_columns_ahead = 4;

}  // namespace

void KnownResidual::set_known_point(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  theta_ = std::move(theta);
  r_ = std::move(r);
  jacobian_ = std::move(jacobian);
}

void KnownResidual::compute_derivatives_ahead() {
  may_compute_ahead_ = computes_ahead_ = parameters() <= most_columns_ahead;
}

Evaluation KnownResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  return jacobian ? evaluate_both(theta, r, *jacobian) : evaluate_value(theta, r);
}

Evaluation KnownResidual::evaluate_both(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const {
  computes_ahead_ = may_compute_ahead_;
  if (theta_.size() == 0 || theta_ != theta) return inner_.evaluate(theta, r, &jacobian);
  r = std::exchange(r_, {});
  jacobian = std::exchange(jacobian_, {});
  theta_.resize(0);
  return {};
}

Evaluation KnownResidual::evaluate_value(const Vector& theta, Vector& r) const {
  if (may_compute_ahead_ && theta_.size() > 0) {  // the last derivative was not requested
    computes_ahead_ = false;
    theta_.resize(0);
  }
  Eigen::MatrixXd jacobian;
  // The derivative may fail although the value can be computed.
  if (!computes_ahead_ || !inner_.evaluate(theta, r, &jacobian).ok()) return inner_.evaluate(theta, r, nullptr);
  theta_ = theta;
  r_ = r;
  jacobian_ = std::move(jacobian);
  return {};
}

Evaluation KnownResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  return inner_.linearize(theta, at);
}

}  // namespace pithball::optim
