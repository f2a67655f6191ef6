#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/measurement_model.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Sensitivity of one recording's markers to θ, frame by frame. Exponential growth means chaotic motion: integration
/// and model errors grow as fast as the effect of the parameters, so that late frames contain no information. Where the
/// sensitivity is large, only a search that starts close finds the minimum.
struct SensitivityGrowth {
  std::string recording;                        ///< as in Scenario::name
  const MeasurementKind* kind = &point_kind();  ///< of shift and extent
  std::vector<double> times;                    ///< F fitted frames, simulated time [s]
  /// F: √(‖∂x/∂θ‖²/samples) over the frame's samples: the RMS shift of a marker when every entry of θ changes by an
  /// independent number of variance 1. θ = log p (or p in units of its start), so that 0.01 is 1 %.
  std::vector<double> shift;
  /// RMS distance of the recorded markers from their mean positions: the size of the motion.
  double extent = 0;
  /// Least-squares slope of log₂ shift over the second half of the recording [1/s]; NaN: fewer than three frames there.
  double doublings_per_second = std::numeric_limits<double>::quiet_NaN();
  /// The same times the duration of that half. A shift that grows like tⁿ doubles n times in it, for any duration.
  double late_doublings = std::numeric_limits<double>::quiet_NaN();
  /// Time from which a change of θ by 0.01 moves the markers by more than `extent` [s]; ∞: never.
  double useless_from = std::numeric_limits<double>::infinity();

  /// More doublings in the second half than in any motion with a smooth phase error: the threshold t⁴ is well above the
  /// t² of a falling body.
  bool exponential() const { return late_doublings >= 4; }
  /// Notes for the user, one sentence each; empty if the growth is harmless.
  std::vector<std::string> warnings() const;
};

/// RMS distance of the samples in a measurement's rows from their mean, marker by marker [m].
double recorded_extent(const Observation& observation, const MeasurementModel& measurement);

/// The columns of J (R×P) whose parameters move the body; the others move only the observer: clocks, placements,
/// lenses.
Eigen::MatrixXd of_the_body(const ParameterMap& map, const Eigen::MatrixXd& J);

/// From the Jacobian J (R×P) of the TrajectoryResidual of these scenarios and observations, one entry for each
/// recording with fitted frames. Throws InvalidArgument if J does not have one row per residual.
std::vector<SensitivityGrowth> compute_sensitivity_growth(const std::vector<diff::Scenario>& scenarios,
                                                          const std::vector<Observation>& observations,
                                                          const Eigen::MatrixXd& J);

/// An entry of `growth` in identify.json.
void fields(FieldVisitor& v, SensitivityGrowth& growth);

}  // namespace pithball::optim
