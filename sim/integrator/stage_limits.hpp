#pragma once
#include <limits>

#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// How much of a stage's residual G = M δ − g² (f + p) a solution may leave on each particle: a componentwise backward
/// error (Oettli and Prager 1964, doi:10.1007/BF01386090), which knows no unit and lets no particle hide behind a
/// heavier or faster one,
///   limit_i = max(tolerance, 16 ε) [ Σ_j |H_ij| |δ_j| + g² (|f_i| + |p_i|) ] + 16 ε |H_ii − m_i I| (X + g V).
/// The last summand is what rounding leaves: coordinates are known to ε X and velocities to ε V, the largest of the
/// stage, and the forces of a particle multiply both by their stiffness.
class StageLimits {
 public:
  /// Each summand of a residual is rounded a few times; 16 covers them with room to spare.
  static constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

  /// reach_j >= |δ_j| for every δ that the limits are to serve; `force` is f there.
  StageLimits(const Model& model, const StageProblem& problem, const BlockMatrix& H, const Vector& reach,
              const Points& force, double tolerance);
  /// Adds what rounding leaves on each particle for another reason [kg m].
  void allow(const Vector& further) { limits_ += further; }

  /// max_i |G_i|/limit_i: at most 1 where the stage is solved. NaN where G is not finite.
  double ratio(const Points& residual) const;

 private:
  Vector limits_;
};

/// Length of each column.
inline Vector column_norms(const Points& points) { return points.colwise().norm().transpose(); }

/// The largest change of place that a residual asks for where forces do not push back: max_i |G_i|/m_i [m].
inline double largest_change(const Model& model, const Points& residual) {
  return column_norms(residual).cwiseQuotient(model.mass()).maxCoeff();
}

}  // namespace pithball::sim
