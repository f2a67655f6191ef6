#pragma once
#include <Eigen/SparseCore>
#include <optional>
#include <vector>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/score_test.hpp"

namespace pithball::optim {

/// Springs that a body may lack, added to its models with stiffness 0, so that they move nothing: derivatives with
/// respect to their stiffness are computed as for any other spring.
struct MissingSprings {
  std::string value;  ///< name of their strength, as for the body's springs: "stiffness", "axial_stiffness"
  Index first = 0;    ///< index of the first one: the number of the body's springs
  std::vector<MissingSpring> springs;  ///< in the order of their numbers

  /// Number of them.
  Index count() const { return static_cast<Index>(springs.size()); }
  /// These scenarios with the springs added.
  std::vector<diff::Scenario> added_to(std::vector<diff::Scenario> scenarios) const;
  /// Declares the body's values for each of its own springs, which must not include the missing ones, and then the
  /// strengths of the missing ones.
  void declare(std::vector<Parameter>& elements) const;
  /// Names the last candidates, which belong to these springs.
  void name(std::vector<Candidate>& candidates) const;
};

/// Each pair of particles that no spring joins, with the length at which it would rest: their distance at the start (or
/// where the body rests), times the median of rest length over length of the body's springs there. Where there are more
/// pairs than `many`, only near ones: no farther apart than two springs of median length in a row. None for a body
/// without springs, and for recordings of bodies with different ones.
MissingSprings find_missing_springs(const std::vector<diff::Scenario>& scenarios, Index many);

/// Candidates for wrong attachments: the marker moved from where the fit attaches it toward another particle, β = 1 if
/// it is there, with the derivatives of the residuals.
struct MarkerShifts {
  std::vector<Candidate> candidates;                 ///< in the order of recordings, markers and particles
  std::vector<Eigen::SparseVector<double>> columns;  ///< by candidate: ∂r/∂β, R; other markers' rows are 0
  Evaluation evaluation;                             ///< why there are none; ok on success
};

/// Toward every particle that a spring joins to one of the marker's, in recordings whose kind measures the position of
/// a marker. `residual`: at the end of the fit, θ. One forward run of these recordings.
MarkerShifts find_marker_shifts(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                                const Vector& theta);

/// The error of the time step h as a candidate: what is known of it without the recordings,
///    G = (r_h − r₀)/h,   r₀ = r_h + 2^p/(2^p − 1) (r_{h/2} − r_h),
/// with the order p of the integrator, so that β = −h removes it. Two forward runs, one of them at half the step. None
/// where a run fails, or the step changes nothing.
std::optional<CandidateEffect> find_step_error(const ResolvedFit& fit, const FittedEnd& end);

/// Whether a test of that candidate agrees with what is known: β = −h, within half of it or three standard errors.
/// Another cause may need far more than the step's error in the same direction.
bool agrees_with_step(const Candidate& candidate, const ScoreTest& test);

/// The time step whose error the recordings would no longer show, with a gain in χ² below one number's by chance; it
/// divides the present one.
double sufficient_step(const ScoreTest& test, const diff::Scenario& scenario);

}  // namespace pithball::optim
