#pragma once
#include "optim/observation/readings.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

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
        readings_(measurement, map.moves_recording_frame(recording)),
        tangents_(RowMatrix::Zero(3 * measurement.inputs(), active() + further_columns)) {}

  void add(Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
    readings_.add_state(n, state);
    measurement_.add_tangent(n, dx, dv, tangents_);
  }
  /// Where the recording's rows begin, and the further columns.
  struct Place {
    Index row = 0, further = 0;
  };
  /// After the run of a scenario at θ: writes r, the derivatives in the columns of their parameters, and the further
  /// columns side by side. Returns why a reading could not be made; empty: all were.
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
