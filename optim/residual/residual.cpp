#include "optim/residual/residual.hpp"

#include <random>

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

/// Calls `product(column, its product)` for each column, and puts the products side by side.
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
  std::mt19937_64 random(1);  // its bits are the same everywhere, unlike those of distributions
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

}  // namespace pithball::optim
