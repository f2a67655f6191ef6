#pragma once
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/settled_scales.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

class ResolvedFit;

/// What a fit sees at θ.
struct SeenAt {
  std::vector<Observation> observations;         ///< with the recording_frames at θ
  std::vector<RecordingFrame> recording_frames;  ///< the same, by recording

  /// The recordings of a fit at θ.
  SeenAt(const ResolvedFit& fit, const Vector& theta);

  /// The residuals of these scenarios as functions of other values.
  TrajectoryResidual residual_of(const std::vector<Parameter>& declarations,
                                 const std::vector<diff::Scenario>& scenarios) const;
};

/// The end of a fit, from which candidates are tested.
struct FittedEnd {
  Vector theta;                           ///< θ
  const BoundedErrors& errors;            ///< with the rows of the fit; they must outlive this
  std::vector<diff::Scenario> scenarios;  ///< at θ
  SeenAt seen;                            ///< at θ

  /// At θ, where the fit has these errors.
  FittedEnd(const ResolvedFit& fit, const Vector& at, const BoundedErrors& there);
};

/// Errors of a fit at θ, by one run with tangents. `scales`: of the fit's residuals.
Evaluation find_errors(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales,
                       BoundedErrors& errors);

}  // namespace pithball::optim
