#pragma once
#include <array>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Mat3;
using sim::Vec3;
using sim::Vector;

/// Clock of a recording, and placement of its frame of reference in the model's.
///
///    simulated time = t + clock_offset + (clock_scale − 1)·(t − t_first),   t the recorded time, t_first the first
///    one; x_model = scale · R x_recorded + translation,   R = exp([rotation]×);
///
/// velocities, accelerations and forces: vector of the model = scale · R recorded vector. They are followed by the own
/// values of instruments (`MeasurementKind::own_values`), those of all kinds in the order of `recording_frame_values`;
/// a recording uses those of its kind. All of these can be fitted: they follow the initial velocities in the flat
/// vector of values,
///    [model.values | initial positions | initial velocities | clock_offset | clock_scale | placement_rotation |
///     placement_translation | placement_scale | own values].
struct RecordingFrame {
  double clock_offset = 0;          ///< [s]
  double clock_scale = 1;           ///< simulated seconds for each recorded one, > 0
  Vec3 rotation = Vec3::Zero();     ///< axis times angle [rad], less than one turn: |rotation| < 2π
  Vec3 translation = Vec3::Zero();  ///< the recording's origin [m]
  /// The scale, and values of instruments of all kinds, in the order and units of `recording_frame_values`.
  Vector own = default_own_values();

  /// Number of all values: 9 of clock and placement, and the own values of every kind.
  static Index size();
  /// Initial values of `own`.
  static Vector default_own_values();
  static constexpr Index scale_offset = 8;  ///< of the scale in `values()`
  double scale() const { return own[0]; }   ///< model units for each recorded one, > 0
  void set_scale(double s) { own[0] = s; }  ///< see `scale()`
  Vector values() const;                    ///< size() entries, in the order above
  /// Sets the own value with this name, which must be one of `recording_frame_values` after the translation.
  void set_own(const std::string& name, double value);
  /// The inverse of `values()`.
  static RecordingFrame of(const Eigen::Ref<const Vector>& values);

  Mat3 rotation_matrix() const;  ///< R
  /// ∂R/∂rotation_k = R [J_r e_k]×, with the right Jacobian J_r = I − (1 − cos θ)/θ² [w]× + (θ − sin θ)/θ³ [w]×² of
  /// w = rotation, θ = |w| (Chirikjian 2012, Stochastic Models, Information Theory, and Lie Groups 2, eq. 10.86).
  std::array<Mat3, 3> rotation_derivative() const;
  /// x_model of a recorded point [m or its unit]; a component that does not depend on a missing one (NaN) is valid.
  Vec3 to_model(const Vec3& recorded) const;
  /// Entries of R below this mix nothing: a right angle that is written with seven digits has such errors.
  static constexpr double no_mixing = 1e-6;
  /// The inverse, for the points of a frame [m], 3×n: recorded points.
  sim::Points to_recorded(const sim::Points& model) const;
};

/// One named value of a recording_frame, as in lists of parameters.
struct RecordingFrameValue {
  std::string name,                           ///< unique
      unit;                                   ///< in base units of SI, or px; empty: a pure number
  Index offset = 0,                           ///< where it begins in RecordingFrame::values()
      size = 1;                               ///< number of entries, 1 or 3
  sim::ValueSign sign = sim::ValueSign::Any;  ///< allowed signs
  double initial = 0;                         ///< default value
  /// What to write in a recording so that a fit varies it; empty: it is an entry of `fit.parameters`.
  std::string key = {};
};

/// clock_offset [s], clock_scale, placement_rotation [rad], placement_translation [m], placement_scale, and the own
/// values of each measurement kind.
const std::vector<RecordingFrameValue>& recording_frame_values();

/// The index of a value in RecordingFrame::values(); its name must be one of the above.
Index recording_frame_offset(const std::string& name);

/// The flat values of one recording: those of its scenario, followed by the recording_frame's.
Vector recording_values(const diff::Scenario& scenario, const RecordingFrame& recording_frame);

/// The recording_frame whose placement maps `recorded` to `model` with the least sum of squares (3×n each, n ≥ 3;
/// Kabsch 1976, doi:10.1107/S0567739476001873; Umeyama 1991, doi:10.1109/34.88573), with the clock and the scale of
/// `start`. Never a reflection. Throws InvalidArgument on fewer than three points, or collinear points.
RecordingFrame register_points(const sim::Points& recorded, const sim::Points& model, const RecordingFrame& start = {});

/// Covariance of (rotation, translation) found by `register_points` from independent errors of the recorded points,
/// with standard deviation sigma_k in each coordinate [m]: to first order, for points that match,
///    Σ = M diag(sigma²) Mᵀ,   M = (AᵀA)⁻¹Aᵀ,   A_k = ∂(R y_k + t)/∂(rotation, translation),
/// where y_k and its sigma are scale times the recorded ones.
Eigen::Matrix<double, 6, 6> registration_covariance(const sim::Points& recorded, const RecordingFrame& found,
                                                    const Vector& sigma);

}  // namespace pithball::optim
