#include "optim/residual/whole_run.hpp"

#include <exception>
#include <optional>

#include "optim/residual/trajectory_residual.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::optim {
namespace {

/// The run of one recording.
class RecordingRun {
 public:
  RecordingRun(const TrajectoryResidual& residual, const Observation& observation, const Vector& theta, std::size_t s)
      : residual_(residual),
        map_(residual.map()),
        theta_(theta),
        number_(s),
        recording_(s),
        scenario_(map_.scatter(theta, recording_)),
        measurement_(map_.moves_recording_frame(recording_)
                         ? residual.measurement(s).seen_from(map_.recording_frame(theta, recording_))
                         : residual.measurement(s)),
        tracks_(scenario_, seen_at(observation)) {}

  void run(bool with_derivatives, const ShowStep& show);
  /// Writes residuals and derivatives to their rows, after the run.
  Evaluation take(Vector& r, Eigen::MatrixXd& J);
  MarkerTracks take_tracks() { return tracks_.finish(status_); }

 private:
  Observation seen_at(Observation observation) const {
    observation.recording_frame = map_.recording_frame(theta_, recording_);
    return observation;
  }

  const TrajectoryResidual& residual_;
  const ParameterMap& map_;
  const Vector& theta_;
  std::size_t number_;
  Index recording_;
  diff::Scenario scenario_;
  MeasurementModel measurement_;
  TrackRecorder tracks_;
  std::optional<Readings> readings_;  // used without derivatives
  std::optional<TangentMeasurements> sights_;
  diff::RolloutStatus status_;
};

void RecordingRun::run(bool with_derivatives, const ShowStep& show) {
  readings_.emplace(measurement_);
  Eigen::MatrixXd directions;
  Index until = -1;
  if (with_derivatives && measurement_.rows() > 0 && !map_.active(recording_).empty()) {
    sights_.emplace(map_, theta_, recording_, measurement_);
    directions = map_.directions(theta_, recording_);
    until = measurement_.last_step();
  }
  status_ = diff::run_tangent_until(
      scenario_, directions, until,
      [&](const sim::Stepper& at) {
        if (!sights_ && at.n() <= measurement_.last_step()) readings_->add_state(at.n(), at.state());
        tracks_.add_state(at.n(), at.state());
        if (show) show(number_, scenario_, at);
      },
      [&](Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        sights_->add(n, state, dx, dv);
      });
}

Evaluation RecordingRun::take(Vector& r, Eigen::MatrixXd& J) {
  const Index rows = measurement_.rows(), first = residual_.first_row(number_);
  if (rows == 0) return {};
  diff::RolloutStatus fitted = status_;  // a failure after the last fitted frame affects only the forecast
  if (!fitted.ok() && fitted.step > measurement_.last_step()) fitted.status = sim::StepStatus::Ok;
  if (!sights_) {
    const std::string unread = readings_->residual(scenario_.model, r.segment(first, rows));
    return fitted.ok() ? as_evaluation(scenario_, unread) : as_evaluation(scenario_, fitted);
  }
  const std::string unread = sights_->write(scenario_.model, {first, J.cols()}, r, J);
  const Evaluation run = as_evaluation(scenario_, fitted, measurement_);
  return run.ok() ? as_evaluation(scenario_, unread) : run;
}

}  // namespace

WholeRun run_whole(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                   const Vector& theta, bool with_derivatives, const ShowStep& show) {
  const Index count = observations.size();
  std::vector<std::unique_ptr<RecordingRun>> runs;
  double pairs = 0;
  for (std::size_t s = 0; s < observations.size(); ++s) {
    runs.push_back(std::make_unique<RecordingRun>(residual, observations[s], theta, s));
    const diff::Scenario& scenario = residual.map().scenarios()[s];
    pairs += diff::run_cost(scenario, scenario.steps);
  }
  std::vector<std::exception_ptr> thrown(runs.size());
  sim::parallel_for(count, pairs, [&](Index k) {
    const std::size_t s = k;
    try {
      runs[s]->run(with_derivatives, show);
    } catch (...) {
      thrown[s] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : thrown)
    if (error) std::rethrow_exception(error);

  WholeRun whole;
  whole.r.resize(residual.rows());
  if (with_derivatives) whole.J.setZero(residual.rows(), residual.parameters());
  for (const auto& run : runs) {
    Evaluation one = run->take(whole.r, whole.J);
    if (whole.evaluation.ok()) whole.evaluation = std::move(one);
    whole.tracks.push_back(run->take_tracks());
  }
  if (whole.evaluation.ok() && !(whole.r.allFinite() && whole.J.allFinite()))
    whole.evaluation.failure = "a residual is not finite";
  return whole;
}

}  // namespace pithball::optim
