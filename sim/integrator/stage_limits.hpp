#pragma once
#include <limits>

#include "sim/integrator/stage_problem.hpp"

namespace pithball::sim {

/// Limits of a stage's residual G = M δ − g² (f + p) on each particle: a componentwise backward error (Oettli and
/// Prager 1964, doi:10.1007/BF01386090), independent of units, in which no particle is hidden by a heavier or faster
/// one,
///   limit_i = max(tolerance, 16 ε) [ Σ_j |H_ij| |δ_j| + g² (|f_i| + |p_i|) ] + 16 ε |H_ii − m_i I| (X + g V).
/// The last term is rounding: coordinates are known to ε X and velocities to ε V, the largest of the stage, and the
/// forces of a particle multiply both by their stiffness.
class StageLimits {
 public:
  /// Each term of a residual is rounded a few times; 16 is ample.
  static constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

  /// From now on those of this stage, after the next `set`.
  void begin(const Model& model, const StageProblem& problem, double tolerance);
  /// Sets them for H. reach_j >= |δ_j| for every δ for which the limits are used; `force` is f there.
  void set(const BlockMatrix& H, const Vector& reach, const Points& force);
  /// Adds another source of rounding on each particle [kg m].
  void allow(const Vector& further) { limits_ += further; }

  /// max_i |G_i|/limit_i of the norms |G_i|: at most 1 if the stage is solved. NaN if G is not finite.
  double ratio(const Vector& residual) const;

 private:
  double g_ = 0, tolerance_ = 0;
  double farthest_ = 0, fastest_ = 0;  // largest |y| and |w|
  Vector mass_, explicit_;             // m_i, g² |p_i|
  Vector limits_;
};

/// Norm of each column.
inline Vector column_norms(const Points& points) { return points.colwise().norm().transpose(); }

/// The largest displacement requested by a residual with these norms if forces do not react: max_i |G_i|/m_i [m].
inline double largest_change(const Model& model, const Vector& residual) {
  return residual.cwiseQuotient(model.mass()).maxCoeff();
}

}  // namespace pithball::sim
