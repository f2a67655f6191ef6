#pragma once
#include <Eigen/SparseCore>

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
  Index values_;            ///< of the model
  Eigen::MatrixXd inputs_,  ///< of all samples side by side, 3 × 3·inputs
      frame_;  ///< likewise, 3 × RecordingFrame::size()·samples; empty where the recording_frame is fixed
  /// Of all samples one below the other, 3·samples × values; empty where readings do not depend on them. A reading
  /// depends on few.
  Eigen::SparseMatrix<double, Eigen::RowMajor> model_values_;
};

}  // namespace pithball::optim
