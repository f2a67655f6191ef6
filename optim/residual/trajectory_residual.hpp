#pragma once
#include <functional>
#include <vector>

#include "optim/observation/measurement_model.hpp"
#include "optim/observation/readings.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/residual.hpp"

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

/// Whether a run of a recording succeeded, as an Evaluation.
Evaluation as_evaluation(const diff::Scenario& scenario, const diff::RolloutStatus& status);
/// The failure of a reading, with its reason; success if that is empty.
Evaluation as_evaluation(const diff::Scenario& scenario, const std::string& unread);
/// The same when derivatives are requested: fails for an equilibrium with a zero mode that the measurement's markers
/// would show.
Evaluation as_evaluation(const diff::Scenario& scenario, const diff::RolloutStatus& status,
                         const MeasurementModel& measurement);

/// Number of evaluations in a fit; each counts all recordings once. A gradient by the adjoint is a recorded forward run
/// and an adjoint; a tangent is either a run with all directions or one direction along a recorded run.
struct EvaluationCounts {
  long forward = 0,  ///< runs without derivatives
      tangent = 0,   ///< runs with tangents, or directions
      adjoint = 0;   ///< adjoints of recorded runs

  /// Adds each count.
  EvaluationCounts& operator+=(const EvaluationCounts& more) {
    forward += more.forward;
    tangent += more.tangent;
    adjoint += more.adjoint;
    return *this;
  }
};

/// Residuals of simulated minus observed positions of all recordings, in the order of the recordings and, within each,
/// of `MeasurementModel`. Recordings are simulated in parallel; every sum has a fixed order, so that results do not
/// depend on the number of threads. Use an object from one thread at a time.
class TrajectoryResidual final : public Residual {
 public:
  /// observations: one for each scenario of the map. Only fitted frames count; each rollout ends at the last of them.
  /// Throws InvalidArgument if an integrator has no derivative, an observation does not match its scenario or has
  /// another recording_frame than the map, or no fitted frame is left.
  TrajectoryResidual(ParameterMap map, std::vector<Observation> observations);

  /// Parameters and scenarios, as given.
  const ParameterMap& map() const { return map_; }
  Index rows() const override { return first_row_.back(); }
  Index parameters() const override { return map_.size(); }
  /// First row of every sample, and the number of rows at the end; see RobustResidual.
  std::vector<Index> samples() const;

  /// r by forward runs; with a Jacobian, both by tangents.
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  /// Records a forward run; then J d is one tangent and Jᵀ w one adjoint of that record.
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

  /// Calls work(number, its scenario at θ up to the last step used, its measurement) → Evaluation for every recording
  /// with rows, in parallel; an InvalidArgument counts as a failure.
  using Work = std::function<Evaluation(std::size_t, const diff::Scenario&, const MeasurementModel&)>;
  /// Success, or the failure of one recording.
  Evaluation for_each_recording(const Vector& theta, const Work& work) const;
  /// The measurement of a recording, with the given recording_frame.
  const MeasurementModel& measurement(std::size_t recording) const { return measurements_[recording]; }
  /// First row of a recording.
  Index first_row(std::size_t recording) const { return first_row_[recording]; }

  /// Runs since this object was created.
  const EvaluationCounts& counts() const { return counts_; }
  /// Memory for the recorded forward runs of a linearization, for all recordings together [MB].
  void set_adjoint_budget(double budget_mb) { adjoint_budget_mb_ = budget_mb; }

 private:
  class Recorded;
  /// Calls work(number) for every recording with rows.
  Evaluation in_parallel(const std::function<Evaluation(std::size_t)>& work) const;
  Index row_count(std::size_t s) const { return first_row_[s + 1] - first_row_[s]; }

  ParameterMap map_;
  std::vector<MeasurementModel> measurements_;  ///< with the given recording_frames
  std::vector<Index> first_row_;                ///< by scenario, followed by the total
  double adjoint_budget_mb_ = 1024;
  mutable EvaluationCounts counts_;
};

/// Number of the entry of a common error of all recorded readings of one component of a marker, minus that of what they
/// are compared with: with displacements, an error of the recorded reference. These entries come after all others.
Index reference_entry(const diff::Scenario& scenario, Index marker, Index component);

/// (∂r/∂values)ᵀ W at θ for chosen recordings, by one run and one adjoint for each column of W: `values` are all flat
/// values of a recording, fitted or not, followed by those of its recording_frame and by the errors of its markers'
/// references (`reference_entry`); size() + RecordingFrame::size() + 3M rows each. W: one row for each residual. A
/// recording without residuals gets zeros.
Evaluation compute_value_gradients(const TrajectoryResidual& residual, const Vector& theta,
                                   const std::vector<std::size_t>& recordings, const Eigen::MatrixXd& W,
                                   std::vector<Eigen::MatrixXd>& gradients);

}  // namespace pithball::optim
