#pragma once
#include <Eigen/SparseCore>
#include <functional>
#include <string>

#include "diff/rollout/segmented_rollout.hpp"
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

  /// r of all rows, whitened; `model` has the values of the run. Returns why a reading could not be made; empty on
  /// success. After a failure its rows are NaN.
  std::string residual(const sim::Model& model, Eigen::Ref<Vector> r) const;
  /// The same without whitening: (h − recorded)/σ.
  std::string scaled_offsets(const sim::Model& model, Eigen::Ref<Vector> r) const;

  /// Whether derivatives with respect to the recording_frame were requested.
  bool moves() const { return rate_.size() > 0; }
  using Visit = std::function<void(const MeasurementModel::Sample&, const ReadingSlope&)>;  ///< of a sample
  /// Calls visit for all samples in order, with the derivatives of the reading; those with respect to inputs are NaN
  /// where it could not be made; `model` has the values of the run.
  void for_each_slope(const sim::Model& model, const Visit& visit) const;

 private:
  Look look_at(const MeasurementModel::Sample& sample, const Points& inputs, const sim::Model& model) const;

  const MeasurementModel* measurement_;
  Vector z_, rate_;  ///< rate_ empty: the recording_frame is fixed
};

/// Derivatives of all readings of one recording in one run, computed once for all products with them.
class ReadingSlopes {
 public:
  /// Call after the run; `model` has the values of the run. The measurement of `readings` must outlive this object.
  ReadingSlopes(const Readings& readings, const sim::Model& model);

  /// The measurement of the readings.
  const MeasurementModel& measurement() const { return *measurement_; }

  /// Changes of the inputs of readings; columns are directions.
  struct Change {
    const RowMatrix& inputs;                 ///< 3·inputs × directions
    const Eigen::MatrixXd& recording_frame;  ///< RecordingFrame::size() × some of the first directions; may be empty
    const Eigen::MatrixXd& model_values;     ///< Model::values() × the same
  };
  /// J = ∂r along the directions, rows × directions.
  Eigen::MatrixXd push_forward(const Change& change) const;

  /// The transpose for one w = ∂L/∂r.
  struct Gradient {
    Vector inputs,        ///< with respect to inputs, three numbers each
        recording_frame,  ///< with respect to RecordingFrame::values(); 0 where the recording_frame is fixed
        model_values;     ///< with respect to Model::values(), without the effect through the inputs
  };
  /// Jᵀ w.
  Gradient pull_back(const Eigen::Ref<const Vector>& w) const;

 private:
  const MeasurementModel* measurement_;
  Index values_;            ///< of the model
  Eigen::MatrixXd inputs_,  ///< of all samples side by side, 3 × 3·inputs
      frame_;  ///< likewise, 3 × RecordingFrame::size()·samples; empty where the recording_frame is fixed
  /// Derivatives of all samples, one below the other, 3·samples × values; empty where readings do not depend on the
  /// model's values. A reading depends on few of them.
  Eigen::SparseMatrix<double, Eigen::RowMajor> model_values_;
};

/// States at the given steps estimated from a recording: the scenario runs from one of them to three frames beyond the
/// next, where every marker with samples in at least two of the seven frames around it (of the same piece) moves its
/// vertices by the straight line through its residuals, with the smallest possible change (one vertex: all of it). The
/// rest stays as simulated; held particles stay where they are held. `measurement`: for this scenario and
/// `observation`. Ends early, with fewer states, if a run fails.
diff::Segments states_from_recording(const diff::Scenario& scenario, const Observation& observation,
                                     const MeasurementModel& measurement, const std::vector<Index>& steps,
                                     diff::RolloutStatus& status);

}  // namespace pithball::optim
