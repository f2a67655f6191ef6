#include "optim/fit/scaled_fit.hpp"

#include <cmath>

#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/settled_scales.hpp"

namespace pithball::optim {

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
  Vector g = transposed_all(all);
  for (Index k = 0; k < g.size(); ++k)  // what is consistent with 0 may have its minimum below
    if (table[k].interval.at_bound || table[k].estimate < table[k].standard_error) g[k] = 0;
  left_ = g.dot(inverse_ * g);
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
