#include "sim/integrator/stage_limits.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/parallel_parts.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

void StageLimits::begin(const Model& model, const StageProblem& s, double tolerance) {
  g_ = s.g;
  tolerance_ = std::max(tolerance, rounding);
  mass_ = model.mass();
  explicit_.setZero(model.particles());
  const Index n = model.particles();
  farthest_ = parallel_maximum(n, particle_work(n), [&](Index i) { return (s.start.col(i) + s.move.col(i)).norm(); });
  fastest_ = parallel_maximum(n, particle_work(n), [&](Index i) { return s.velocity.col(i).norm(); });
  if (s.force.size() > 0) explicit_ = g_ * g_ * s.force.colwise().norm().transpose();
}

void StageLimits::set(const BlockMatrix& H, const Vector& reach, const Points& force) {
  H.multiply_magnitudes(reach, limits_);
  const double most = reach.maxCoeff();
  const double coordinates = rounding * ((farthest_ + most) + g_ * (fastest_ + most / g_));
  particle_parts(limits_.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      limits_[i] = tolerance_ * (limits_[i] + g_ * g_ * force.col(i).norm() + explicit_[i]);
      if (H.is_held(i)) continue;
      limits_[i] += coordinates * std::sqrt(squared_norm(H.symmetric_diagonal(i).data(), mass_[i]));
    }
  });
}

double StageLimits::ratio(const Vector& residual) const {
  const double worst = parallel_maximum(residual.size(), particle_work(residual.size()), [&](Index i) {
    return residual[i] > 0 ? residual[i] / limits_[i] : residual[i];  // 0, NaN
  });
  return std::max(worst, 0.0);  // in this order NaN stays
}

}  // namespace pithball::sim
