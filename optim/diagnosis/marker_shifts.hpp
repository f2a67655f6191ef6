#pragma once
#include "optim/diagnosis/candidate.hpp"

namespace pithball::optim {

/// Candidates for wrong attachments: the marker moved from where the fit attaches it toward another particle, β = 1 if
/// it is there, with the derivatives of the residuals.
struct MarkerShifts {
  std::vector<Candidate> candidates;
  std::vector<Index> first_row, end_row;  ///< rows of a candidate's recording: columns are 0 elsewhere
  std::vector<Vector> columns;            ///< by candidate: ∂r/∂β in these rows
  Evaluation evaluation;                  ///< why there are none; ok on success
};

/// Toward every particle that a spring joins to one of the marker's, in recordings whose kind measures the position of
/// a marker. `residual`: at the end of the fit, θ. One forward run of these recordings.
MarkerShifts find_marker_shifts(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                                const Vector& theta);

}  // namespace pithball::optim
