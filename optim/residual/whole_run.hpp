#pragma once
#include <functional>
#include <vector>

#include "optim/observation/marker_tracks.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

/// What one run of every recording, to the end of its scenario, says of a θ.
struct WholeRun {
  Evaluation evaluation;             ///< whether r and J are there
  Vector r;                          ///< as `TrajectoryResidual::evaluate` finds them
  Eigen::MatrixXd J;                 ///< likewise, if derivatives were wanted; else 0×0
  std::vector<MarkerTracks> tracks;  ///< by recording, forecasts included
};

/// Shown each step of a recording: its number, its scenario at θ, and the stepper. Recordings run side by side.
using ShowStep = std::function<void(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at)>;

/// Runs every recording once at θ: for residuals, for derivatives up to the last fitted frame, for tracks, and for
/// whoever wants to see the states (`show` may be empty). `observations`: those of the residual. Throws InvalidArgument
/// as TrackRecorder does.
WholeRun run_whole(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                   const Vector& theta, bool with_derivatives, const ShowStep& show = {});

}  // namespace pithball::optim
