#pragma once
#include <Eigen/SparseCore>

#include "optim/diagnosis/candidate.hpp"

namespace pithball::optim {

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

}  // namespace pithball::optim
