#pragma once
#include <functional>
#include <vector>

#include "optim/observation/measurement_model.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/residual.hpp"

namespace pithball::optim {

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
      tangent = 0,   ///< directions or runs with tangents
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

}  // namespace pithball::optim
