#pragma once
#include "optim/observation/measurement_model.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// ∂r/∂recording_frame of one recording, gathered while the states come; nothing where its recording_frame is known.
class RecordingFrameDerivative {
 public:
  RecordingFrameDerivative(const MeasurementModel& measurement, bool moves) {
    if (moves) matrix_ = measurement.initial_recording_frame_derivative();
  }
  bool moves() const { return matrix_.size() > 0; }
  void add_state(const MeasurementModel& measurement, Index n, const sim::State& state) {
    if (moves()) measurement.add_recording_frame_derivative(n, state, matrix_);
  }
  const Eigen::MatrixXd& matrix() const { return matrix_; }  ///< rows × 8

 private:
  Eigen::MatrixXd matrix_;
};

/// Residuals of one recording and their derivatives along its active parameters, gathered while a run with tangents
/// makes its states. Further columns of the tangents, if there are any, are gathered besides.
class TangentMeasurements {
 public:
  /// `measurement` sees the recording at θ and must outlive this object.
  TangentMeasurements(const ParameterMap& map, const Vector& theta, Index recording,
                      const MeasurementModel& measurement, Index further_columns = 0)
      : map_(map),
        theta_(theta),
        recording_(recording),
        measurement_(measurement),
        r_(measurement.initial_residual()),
        J_(Eigen::MatrixXd::Zero(measurement.rows(), active() + further_columns)),
        seen_(measurement, map.moves_recording_frame(recording)) {}

  void add(Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
    measurement_.add_state(n, state, r_);
    measurement_.add_tangent(n, dx, dv, J_);
    seen_.add_state(measurement_, n, state);
  }
  /// After the run: writes r, the derivatives in the columns of their parameters (J, of `rows` rows from `first_row`
  /// on) and the further columns side by side from `first_further` on.
  void write(Index first_row, Index first_further, Vector& r, Eigen::MatrixXd& J) {
    if (seen_.moves()) J_.leftCols(active()) += seen_.matrix() * map_.recording_frame_directions(theta_, recording_);
    const Index rows = measurement_.rows(), further = J_.cols() - active();
    r.segment(first_row, rows) = r_;
    for (Index c = 0; c < active(); ++c) J.col(map_.active(recording_)[c]).segment(first_row, rows) = J_.col(c);
    J.block(first_row, first_further, rows, further) = J_.rightCols(further);
  }

 private:
  Index active() const { return map_.active(recording_).size(); }

  const ParameterMap& map_;
  const Vector& theta_;
  Index recording_;
  const MeasurementModel& measurement_;
  Vector r_;
  Eigen::MatrixXd J_;
  RecordingFrameDerivative seen_;
};

}  // namespace pithball::optim
