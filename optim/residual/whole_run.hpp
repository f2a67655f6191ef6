#pragma once
#include <functional>
#include <vector>

#include "optim/observation/marker_tracks.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// Result of one run of every recording at θ, to the end of its scenario.
struct WholeRun {
  Evaluation evaluation;             ///< whether r and J are there
  Vector r;                          ///< as from `TrajectoryResidual::evaluate`
  Eigen::MatrixXd J;                 ///< likewise, if derivatives were requested; else 0×0
  std::vector<MarkerTracks> tracks;  ///< by recording, including validation frames
};

/// Called for each step of a recording with its number, its scenario at θ, and the stepper. Recordings run in parallel.
using ShowStep = std::function<void(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at)>;

/// Runs every recording once at θ, for residuals, derivatives up to the last fitted frame, tracks, and the states
/// passed to `show` (may be empty). `observations`: those of the residual. Throws InvalidArgument as TrackRecorder
/// does.
WholeRun run_whole(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                   const Vector& theta, bool with_derivatives, const ShowStep& show = {});

}  // namespace pithball::optim
