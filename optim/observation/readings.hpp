#pragma once
#include <functional>
#include <string>

#include "optim/observation/measurement_model.hpp"

namespace pithball::optim {

/// Readings of one recording's instrument in one run: accumulates the inputs during the run, then computes residuals
/// and the derivatives of readings (`ReadingSlopes`).
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

  /// Whether derivatives with respect to the recording_frame were requested.
  bool moves() const { return rate_.size() > 0; }
  using Visit = std::function<void(const MeasurementModel::Sample&, const ReadingSlope&)>;  ///< of a sample
  /// Calls visit for all samples in order, with the derivatives of the reading: NaN by inputs where it could not be
  /// made; `model` has the values of the run.
  void for_each_slope(const sim::Model& model, const Visit& visit) const;

 private:
  Look look_at(const MeasurementModel::Sample& sample, const Points& inputs, const sim::Model& model) const;

  const MeasurementModel* measurement_;
  Vector z_, rate_;  ///< rate_ empty: the recording_frame is fixed
};

}  // namespace pithball::optim
