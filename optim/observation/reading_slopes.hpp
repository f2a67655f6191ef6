#pragma once
#include "optim/observation/readings.hpp"

namespace pithball::optim {

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
    Vector inputs,        ///< by inputs, three numbers each
        recording_frame,  ///< by RecordingFrame::values(); 0 where the recording_frame is fixed
        model_values;     ///< by Model::values(), without the effect through the inputs
  };
  /// Jᵀ w.
  Gradient pull_back(const Eigen::Ref<const Vector>& w) const;

 private:
  const MeasurementModel* measurement_;
  Index values_;  ///< of the model
  /// `ReadingSlope` of all samples side by side. Of the last two only what is needed: empty where the recording_frame
  /// is fixed, or where readings do not depend on the model's values.
  Eigen::MatrixXd inputs_, frame_, model_values_;
};

}  // namespace pithball::optim
