#pragma once
#include "optim/observation/reading_slopes.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// Residuals of one recording and their derivatives along its active parameters, accumulated during a run with
/// tangents. Further columns of the tangents are accumulated separately.
class TangentMeasurements {
 public:
  /// `measurement`: for the recording_frame at θ; must outlive this object.
  TangentMeasurements(const ParameterMap& map, const Vector& theta, Index recording,
                      const MeasurementModel& measurement, Index further_columns = 0)
      : map_(map),
        theta_(theta),
        recording_(recording),
        measurement_(measurement),
        readings_(measurement, map.moves_recording_frame(recording)),
        tangents_(RowMatrix::Zero(3 * measurement.inputs(), active() + further_columns)) {}

  /// Call for every step in order, with δx and δv as in TangentVisitor: active parameters first, then further columns.
  void add(Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
    readings_.add_state(n, state);
    measurement_.add_tangent(n, dx, dv, tangents_);
  }
  /// The recording's first row, and storage for the further columns.
  struct Place {
    Index row = 0,    ///< number of the recording's first row in r and J
        further = 0;  ///< number of the first of the further columns in J
  };
  /// Call after the run of a scenario at θ: writes r, the derivatives into the columns of their parameters, and the
  /// further columns side by side. Returns why a reading could not be made; empty on success.
  std::string write(const sim::Model& model, const Place& place, Vector& r, Eigen::MatrixXd& J) const;

 private:
  Index active() const { return map_.active(recording_).size(); }

  const ParameterMap& map_;
  const Vector& theta_;
  Index recording_;
  const MeasurementModel& measurement_;
  Readings readings_;
  RowMatrix tangents_;
};

}  // namespace pithball::optim
