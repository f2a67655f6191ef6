#include "optim/fit/scaled_fit.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/settled_scales.hpp"

namespace pithball::optim {
namespace {

/// By how much a quadratic function with gradient g and curvature C⁺ falls to its minimum if some values are held:
///    g_fᵀ (C_ff − C_fh C_hh⁺ C_hf) g_f.
/// (With their gradient set to 0 but the values free it would fall farther, without limit as they become correlated.)
double decrease_without(const Eigen::MatrixXd& C, Vector g, const std::vector<Index>& held) {
  g(held).setZero();
  const Vector step = C * g;
  if (held.empty()) return g.dot(step);
  const Eigen::MatrixXd among_held = C(held, held);
  const Vector of_held = step(held);
  const Vector forces = among_held.completeOrthogonalDecomposition().solve(of_held);
  return std::max(0.0, g.dot(step) - of_held.dot(forces));
}

}  // namespace

ScaledFit::ScaledFit(const IntervalBasis& basis, const std::vector<FittedParameter>& table)
    : rows_(basis.errors.rows), theta_(basis.optimum.end.theta), scale_(basis.errors.errors.posterior.data_scale) {
  const ResolvedFit& fit = basis.fit;
  if (!(std::isfinite(scale_) && scale_ > 0)) return;
  problem_ = with_scales(fit.problem(), {scale_, basis.optimum.scales.threshold});
  const FitCurvature H(rows_, basis.errors.scores, basis.errors.errors.posterior);
  if (!H.ok()) return;
  inverse_ = H.inverse();
  Vector prior, data = rows_.r;
  if (!fit.residual().priors().evaluate(theta_, prior, &prior_J_).ok()) return;
  weigh_samples(rows_.loss, rows_.order.samples, data, nullptr);
  square_ = data.squaredNorm() / (scale_ * scale_) + prior.squaredNorm();
  Vector all(data.size() + prior.size());
  all << data / scale_, prior;
  std::vector<Index> held;
  for (Index k = 0; k < theta_.size(); ++k)  // what is consistent with 0 may have its minimum below
    if (table[k].interval.at_bound || table[k].estimate < table[k].standard_error) held.push_back(k);
  left_ = decrease_without(inverse_, transposed_all(all), held);
  ok_ = true;
}

Vector ScaledFit::transposed(const Vector& data, const Vector& prior) const {
  Vector g = rows_.J.transpose() * data / scale_;
  if (prior.size() > 0) g += prior_J_.transpose() * prior;
  return g;
}

Vector ScaledFit::transposed_all(const Vector& w) const {
  const Index R = rows_.r.size();
  Vector r = rows_.r;
  Eigen::MatrixXd data = w.head(R);  // the blocks of a loss are symmetric
  weigh_samples(rows_.loss, rows_.order.samples, r, &data);
  return transposed(data.col(0), w.tail(w.size() - R));
}

Optimum ScaledFit::about(const FitResidual& residual) const {
  Optimum optimum{residual.all(), theta_, square_, inverse_, {residual.map().lower(), residual.map().upper()}};
  for (const ParameterInfo& info : residual.map().info()) optimum.transforms.push_back(info.transform);
  return optimum;
}

}  // namespace pithball::optim
