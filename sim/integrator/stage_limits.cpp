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
  const auto largest = [&](const auto& of) {
    return parallel_maximum(model.particles(), particle_work(model.particles()), [&](Index begin, Index end) {
      return of([=](const Points& points) { return points.middleCols(begin, end - begin); });
    });
  };
  farthest_ = largest([&](auto part) {
    return (part(s.start) + part(s.move)).colwise().norm().template maxCoeff<Eigen::PropagateNaN>();
  });
  fastest_ =
      largest([&](auto part) { return part(s.velocity).colwise().norm().template maxCoeff<Eigen::PropagateNaN>(); });
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
  const double worst = parallel_maximum(residual.size(), particle_work(residual.size()), [&](Index begin, Index end) {
    double of_part = 0, sum = 0;
    for (Index i = begin; i < end; ++i) {
      const double left = residual[i];
      sum += left;
      if (left > 0) of_part = std::max(of_part, left / limits_[i]);
    }
    return std::isnan(sum) ? sum : of_part;
  });
  return std::max(worst, 0.0);  // in this order NaN stays
}

}  // namespace pithball::sim
