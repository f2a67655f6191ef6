#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/screening/finding.hpp"

namespace pithball::optim {

/// How a recording is read, as far as the simulated start can contradict it, and how the file expresses that.
struct RecordingReading {
  std::array<std::string, 3> axes{"x", "y", "z"};  ///< the file's axes that become x, y, z
  double scale = 1;                                ///< one unit of the file, in the unit of the kind
  /// By marker, its entry in the experiment file; empty: the order of the markers is not compared.
  std::vector<std::string> entries;
  std::string entries_key = "markers";  ///< the key of that list
  /// The share of the squared residuals that the fitted parameters cannot explain (`left_by_parameters`), computed
  /// before another unit of the readings becomes a finding. Empty: they explain nothing.
  std::function<double()> left_by_parameters = {};
  bool placement_is_free = false;          ///< the placement is a start value of the fit
  std::vector<Index> placed_by_recording;  ///< particles whose initial state was found from the recording
};

/// The key of the finding that times in ms are read as s.
inline constexpr const char* times_in_ms = "columns: {time_scale: 1 ms}";

/// Compares the recording with one simulation of the start, and finds markers in another order (Order), axes that are
/// mirrored or exchanged, rows of an image counted upward, angles of the other sense (Axes), and another unit of the
/// readings or of time (Unit). Each finding has the key that reads the recording as it fits, for every measurement kind
/// in its own unit. A finding requires that the recording is more than three times its noise from the start, and at
/// most a tenth of that in the other reading (`ReadingTest`). Another unit of the readings must also explain them much
/// better than the fitted parameters do. What depends on the start alone is not decidable if the start was found from
/// the recording. Empty if the start cannot be simulated. Throws InvalidArgument as `MeasurementModel` does.
std::vector<Finding> find_at_start(const diff::Scenario& scenario, const Observation& observation,
                                   const RecordingReading& reading);

/// How much of a recording's residuals a linear step of the fitted parameters leaves. With r the residuals at θ and J
/// their Jacobian,
///    |r − J J⁺ r|² / |r|².
/// If another unit explains the recording, r is almost proportional to its readings; so a small number says that
/// parameters change them as another unit does, like the charge of a drop that drifts in a field: then data cannot tell
/// a wrong unit from a wrong start. 0 where this cannot be computed: r has no derivative at θ, or fewer rows than twice
/// the parameters.
double left_by_parameters(const TrajectoryResidual& residual, const Vector& theta, std::size_t recording);

}  // namespace pithball::optim
