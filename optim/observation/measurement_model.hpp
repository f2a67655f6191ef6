#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// The linear map from the states of one rollout to its residuals r = (x_seen − x_observed)/σ, x_seen = Rᵀ(x_model −
/// translation) the model's position in the recording's frame, with its derivative and transpose; and its derivative
/// in the recording_frame. It is fed with states as they come, so that no trajectory is stored.
///
/// Between steps n and n + 1 a marker's position is the cubic Hermite polynomial of the neighboring states: with
/// s = (t − t_n)/h in [0, 1],
///    x(t) = (1+2s)(1−s)² x_n + s(1−s)² h v_n + s²(3−2s) x_{n+1} − s²(1−s) h v_{n+1}.
/// Exact for cubic motion; its own error is at most h⁴/384 max|x⁗|. Errors e_v of the velocities enter with at most h
/// e_v/4, so that the interpolated positions keep the order of every scheme whose velocities lose at most one order. It
/// is linear in the states: tangents and adjoint seeds are exact. Its derivative in t, by which the clock enters, is
/// that of the polynomial.
///
/// Rows are ordered by frame, marker, component; missing components have no row.
class MeasurementModel {
 public:
  /// Throws InvalidArgument if sizes do not agree, a vertex does not exist, sigma is not positive, or a frame of this
  /// part lies outside the simulated span 0 … steps·time_step (by more than 1e-9 steps).
  MeasurementModel(const Observation& observation, const diff::Scenario& scenario, Part part);

  /// The same sights from another recording_frame, for the same rows. Throws InvalidArgument if a frame then lies
  /// outside the simulated span, or the clock does not go forward.
  MeasurementModel seen_from(const RecordingFrame& recording_frame) const;

  Index rows() const { return rows_.size(); }
  /// The last step that is looked at: the rollout need not go further.
  Index last_step() const { return static_cast<Index>(contributions_.size()) - 1; }

  /// One observed marker in one frame; it has up to three rows.
  struct Sample {
    Index frame = 0, marker = 0;
    Index first_row = 0, row_count = 0;
  };
  const std::vector<Sample>& samples() const { return samples_; }
  /// Whether a marker's fitted component changes when the body is moved along one of these displacements (3N×m).
  bool sees(const Eigen::MatrixXd& displacements) const;
  double row_sigma(Index row) const { return rows_[row].sigma; }  ///< [m]

  /// r before any state has come.
  Vector initial_residual() const;
  /// Adds the share of the state at step n.
  void add_state(Index n, const sim::State& state, Eigen::Ref<Vector> r) const;
  /// Adds the share of the tangents at step n: J, rows × directions.
  void add_tangent(Index n, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv, Eigen::Ref<Eigen::MatrixXd> J) const;
  /// The transpose: for w = ∂L/∂r adds ∂L/∂x_n and ∂L/∂v_n.
  void add_seed(Index n, const Eigen::Ref<const Vector>& w, Points& gx, Points& gv) const;

  /// ∂r/∂(RecordingFrame::values()), rows × 8, before any state has come.
  Eigen::MatrixXd initial_recording_frame_derivative() const;
  /// Adds the share of the state at step n.
  void add_recording_frame_derivative(Index n, const sim::State& state, Eigen::Ref<Eigen::MatrixXd> J) const;

 private:
  struct Row {
    Index marker = 0;
    int component = 0;
    double sigma = 1, offset = 0;  ///< offset: the part of r that no recording_frame changes [m]
  };
  struct Frame {
    Index first = 0, end = 0;          ///< rows
    std::size_t number = 0;            ///< in the observation
    double time = 0, since_first = 0;  ///< recorded time, and since the recording's first frame [s]
  };
  /// Rows first … end−1 contain position_weight·x_n + velocity_weight·v_n; the rates are the weights' derivatives in
  /// simulated time [1/s].
  struct Contribution {
    Index first = 0, end = 0;
    double position_weight = 0, velocity_weight = 0;
    double position_rate = 0, velocity_rate = 0;
    double since_first = 0;  ///< of the frame [s]
  };
  template <class Visit>  // visit(row, flat index of the component, position weight, velocity weight)
  void for_each(Index n, Visit visit) const;
  void look(const RecordingFrame& recording_frame);
  void add_frame(const Frame& frame, double step);
  void contribute(Index n, const Contribution& contribution);
  Vec3 pivot(Index marker) const;

  std::string recording_;
  double time_step_ = 0;
  Index steps_ = 0;
  Reference reference_ = Reference::Absolute;
  Points model_reference_;
  RecordingFrame recording_frame_;
  Mat3 rotation_ = Mat3::Identity();
  std::vector<Marker> markers_;
  std::vector<Frame> frames_;  ///< of this part, that have rows
  std::vector<Row> rows_;
  std::vector<Sample> samples_;
  std::vector<std::vector<Contribution>> contributions_;  ///< by step
};

}  // namespace pithball::optim
