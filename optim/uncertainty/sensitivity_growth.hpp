#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/measurement_model.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// How strongly the markers of one recording depend on θ, frame by frame. Where it grows exponentially the motion is
/// chaotic: errors of the time step and of the model grow as fast as the effect of the parameters, so that late frames
/// tell of neither. Where it is large, only a start that is close sees the way to the minimum.
struct SensitivityGrowth {
  std::string recording;
  const MeasurementKind* kind = &point_kind();  ///< in whose unit shift and extent are
  std::vector<double> times;                    ///< F fitted frames, simulated time [s]
  /// F: √(‖∂x/∂θ‖²/samples) over the frame's samples: the root mean square shift of a marker when every entry of θ
  /// changes by an independent number of variance 1. θ = log p (or p in units of its start), so that 0.01 is 1 %.
  std::vector<double> shift;
  /// Root mean square distance of the recorded markers from their mean positions: how large the motion is.
  double extent = 0;
  /// Least-squares slope of log₂ shift over the later half of the recording [1/s]; NaN: fewer than three frames there.
  double doublings_per_second = std::numeric_limits<double>::quiet_NaN();
  /// The same times the length of that half. A shift that grows like tⁿ doubles n times in it whatever its length.
  double late_doublings = std::numeric_limits<double>::quiet_NaN();
  /// From this time on a change of θ by 0.01 moves the markers by more than `extent` [s]; ∞: in no frame at the end.
  double useless_from = std::numeric_limits<double>::infinity();

  /// More doublings in the later half than any motion with a smooth phase error has: t⁴ stands far above the t² of a
  /// falling body.
  bool exponential() const { return late_doublings >= 4; }
  /// What the user should know, one sentence each; nothing where the growth is harmless.
  std::vector<std::string> warnings() const;
};

/// Root mean square distance of the sights that an measurement has rows of from their mean, marker by marker [m].
double recorded_extent(const Observation& observation, const MeasurementModel& measurement);

/// The columns of J (R×P) whose parameters move the body; the others move only who looks at it: clocks, placements,
/// lenses.
Eigen::MatrixXd of_the_body(const ParameterMap& map, const Eigen::MatrixXd& J);

/// From the Jacobian J (R×P) of the TrajectoryResidual of these scenarios and observations, one entry for each
/// recording with frames to fit. Throws InvalidArgument if J has not one row for each residual.
std::vector<SensitivityGrowth> compute_sensitivity_growth(const std::vector<diff::Scenario>& scenarios,
                                                          const std::vector<Observation>& observations,
                                                          const Eigen::MatrixXd& J);

}  // namespace pithball::optim
