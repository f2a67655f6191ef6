#pragma once
#include <functional>
#include <string>

#include "optim/observation/measurement_model.hpp"

namespace pithball::optim {

/// Readings of one recording's instrument in one run: accumulates the inputs during the run, then computes residuals
/// and their derivatives.
class Readings {
 public:
  /// `measurement` must outlive this object. `moves`: derivatives with respect to the recording_frame will be
  /// requested.
  explicit Readings(const MeasurementModel& measurement, bool moves = false);

  /// The measurement that was passed to the constructor.
  const MeasurementModel& measurement() const { return *measurement_; }
  /// Call for the states of the run in order, from step 0 to `last_step()`.
  void add_state(Index n, const sim::State& state);

  /// r of all rows; `model` has the values of the run. Returns why a reading could not be made; empty on success. After
  /// a failure its rows are NaN.
  std::string residual(const sim::Model& model, Eigen::Ref<Vector> r) const;

  /// Changes of the inputs of readings; columns are directions.
  struct Change {
    const RowMatrix& inputs;                 ///< 3·inputs × directions
    const Eigen::MatrixXd& recording_frame;  ///< RecordingFrame::size() × some of the first directions; may be empty
    const Eigen::MatrixXd& model_values;     ///< Model::values() × the same
  };
  /// J = ∂r along the directions, rows × directions.
  Eigen::MatrixXd push_forward(const sim::Model& model, const Change& change) const;

  /// The transpose for one w = ∂L/∂r.
  struct Gradient {
    Vector inputs,        ///< by inputs, three numbers each
        recording_frame,  ///< by RecordingFrame::values()
        model_values;     ///< by Model::values(), without the effect through the inputs
  };
  /// `model` has the values of the run.
  Gradient pull_back(const sim::Model& model, const Eigen::Ref<const Vector>& w) const;

 private:
  using Visit = std::function<void(const MeasurementModel::Sample&, const ReadingSlope&)>;
  void for_each_slope(const sim::Model& model, const Visit& visit) const;
  Look look_at(const MeasurementModel::Sample& sample, const Points& inputs, const sim::Model& model) const;

  const MeasurementModel* measurement_;
  Vector z_, rate_;  ///< rate_ empty: the recording_frame is fixed
};

}  // namespace pithball::optim
