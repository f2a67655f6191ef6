#include "optim/residual/trajectory_residual.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "diff/step/step_derivative.hpp"
#include "optim/observation/readings.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/force/switched_field.hpp"
#include "sim/run/equilibrium.hpp"
#include "sim/run/mode_name.hpp"

namespace pithball::optim {

/// Largest number of columns in one sweep along a recorded run. Fixed, so that rounding does not depend on the number
/// of threads. More columns share more work; fewer columns allow more threads.
constexpr Index columns_per_sweep = 8;

/// Returns Wᵀ ∂r/∂values of one recording, transposed: one column for each column of W, from one adjoint pass along the
/// stored run. The values are all flat values of the recording, including its recording_frame (`recording_values`).
/// `slopes` must belong to that run.
Eigen::MatrixXd gather_gradients(diff::AdjointRollout& run, const ReadingSlopes& slopes,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W);

std::string TangentMeasurements::write(const sim::Model& model, const Place& place, Vector& r,
                                       Eigen::MatrixXd& J) const {
  const Index rows = measurement_.rows(), further = tangents_.cols() - active();
  std::string failure = readings_.residual(model, r.segment(place.row, rows));
  if (!failure.empty()) return failure;
  Eigen::MatrixXd of_frame;
  if (map_.moves_recording_frame(recording_)) of_frame = map_.recording_frame_directions(theta_, recording_);
  const Eigen::MatrixXd of_model = map_.directions(theta_, recording_).topRows(model.values().size());
  const Eigen::MatrixXd mine = ReadingSlopes(readings_, model).push_forward({tangents_, of_frame, of_model});
  for (Index c = 0; c < active(); ++c) J.col(map_.active(recording_)[c]).segment(place.row, rows) = mine.col(c);
  J.block(place.row, place.further, rows, further) = mine.rightCols(further);
  return {};
}

Eigen::MatrixXd gather_gradients(diff::AdjointRollout& run, const ReadingSlopes& slopes,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W) {
  std::vector<ReadingSlopes::Gradient> direct;
  for (Index c = 0; c < W.cols(); ++c) direct.push_back(slopes.pull_back(W.col(c)));
  std::vector<diff::Seed> seeds;
  for (const ReadingSlopes::Gradient& gradient : direct)
    seeds.emplace_back([&](Index n, const sim::State&, Points& gx, Points& gv) {
      slopes.measurement().add_seed(n, gradient.inputs, gx, gv);
    });
  const Eigen::MatrixXd of_run = run.backward(seeds);
  Eigen::MatrixXd all(of_run.rows() + RecordingFrame::size(), W.cols());
  for (Index c = 0; c < W.cols(); ++c) {
    all.col(c) << of_run.col(c), direct[c].recording_frame;
    all.col(c).head(direct[c].model_values.size()) += direct[c].model_values;
  }
  return all;
}

Evaluation as_evaluation(const diff::Scenario& scenario, const diff::RolloutStatus& status) {
  if (status.ok()) return {};
  return {"recording '" + scenario.name + "': " + diff::to_string(status)};
}

Evaluation as_evaluation(const diff::Scenario& scenario, const std::string& unread) {
  return unread.empty() ? Evaluation{} : Evaluation{"recording '" + scenario.name + "': " + unread};
}

Evaluation as_evaluation(const diff::Scenario& scenario, const diff::RolloutStatus& status,
                         const MeasurementModel& measurement) {
  if (!status.ok() || !status.rest || !status.rest->is_loose()) return as_evaluation(scenario, status);
  const Eigen::MatrixXd& loose = status.rest->modes.loose;
  for (Index c = 0; c < loose.cols(); ++c)
    if (measurement.sees(scenario.model, status.rest->x, loose.col(c)))
      return {"recording '" + scenario.name + "': the equilibrium is not unique: the body " +
              sim::name_mode(scenario.model, status.rest->x, loose, loose.col(c)) +
              " freely, which the markers show; pin it, or give the initial state"};
  return {};
}

TrajectoryResidual::TrajectoryResidual(ParameterMap map, std::vector<Observation> observations) : map_(std::move(map)) {
  const std::vector<diff::Scenario>& scenarios = map_.scenarios();
  if (observations.size() != scenarios.size())
    throw InvalidArgument({"", "observations",
                           "must be one for each recording (" + std::to_string(scenarios.size()) + ")",
                           std::to_string(observations.size()), ""});
  for (std::size_t s = 0; s < scenarios.size(); ++s)
    if (observations[s].recording_frame.values() != map_.recording_frames()[s].values())
      throw InvalidArgument({"", "observations", "must have the recording_frames of the parameter map",
                             "another one of recording '" + scenarios[s].name + "'", "give them to ParameterMap"});
  for (const diff::Scenario& scenario : scenarios) {
    diff::step_derivative(scenario.integrator.name(), scenario.model);  // throws if there is none
    sim::require_resolved_rise(scenario.model.values(), scenario.time_step);
  }
  first_row_.push_back(0);
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    measurements_.emplace_back(observations[s], scenarios[s], Part::Fit);
    first_row_.push_back(first_row_.back() + measurements_.back().rows());
  }
  if (rows() == 0 && map_.size() > 0)
    throw InvalidArgument({"", "observations", "must have at least one position to fit", "none",
                           "check the masks and the validation frames and markers"});
}

std::vector<Index> TrajectoryResidual::samples() const {
  std::vector<Index> first;
  for (std::size_t s = 0; s < measurements_.size(); ++s)
    for (const MeasurementModel::Sample& sample : measurements_[s].samples())
      first.push_back(first_row_[s] + sample.first_row);
  first.push_back(rows());
  return first;
}

Evaluation TrajectoryResidual::in_parallel(const std::function<Evaluation(std::size_t)>& work) const {
  double pairs = 0;
  for (std::size_t s = 0; s < measurements_.size(); ++s)
    pairs += diff::run_cost(map_.scenarios()[s], measurements_[s].last_step());
  std::vector<Evaluation> evaluations(measurements_.size());
  sim::parallel_for(measurements_.size(), pairs, [&](Index k) {
    const std::size_t s = k;
    if (row_count(s) == 0) return;
    try {
      evaluations[s] = work(s);
    } catch (const InvalidArgument& error) {
      evaluations[s].failure = "recording '" + map_.scenarios()[s].name + "': " + error.what();
    }
  });
  for (const Evaluation& evaluation : evaluations)
    if (!evaluation.ok()) return evaluation;
  return {};
}

Evaluation TrajectoryResidual::for_each_recording(const Vector& theta, const Work& work) const {
  return in_parallel([&](std::size_t s) {
    const Index k = s;
    diff::Scenario scenario = map_.scatter(theta, k);
    std::optional<MeasurementModel> moved;
    if (map_.moves_recording_frame(k)) moved = measurements_[s].seen_from(map_.recording_frame(theta, k));
    const MeasurementModel& measurement = moved ? *moved : measurements_[s];
    scenario.steps = measurement.last_step();
    return work(s, scenario, measurement);
  });
}

Evaluation TrajectoryResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  ++(jacobian ? counts_.tangent : counts_.forward);
  r.resize(rows());
  if (jacobian) jacobian->setZero(rows(), parameters());
  Evaluation evaluation = for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
        const Index k = s;
        if (!jacobian || map_.active(k).empty()) {
          Readings readings(measurement);
          const Evaluation run = as_evaluation(
              scenario,
              diff::run_forward(scenario, [&](Index n, const sim::State& state) { readings.add_state(n, state); }));
          if (!run.ok()) return run;
          return as_evaluation(scenario, readings.residual(scenario.model, r.segment(first_row_[s], row_count(s))));
        }
        TangentMeasurements sights(map_, theta, k, measurement);
        const diff::RolloutStatus status =
            diff::run_tangent(scenario, map_.directions(theta, k),
                              [&](Index n, const sim::State& state, const Eigen::MatrixXd& dx,
                                  const Eigen::MatrixXd& dv) { sights.add(n, state, dx, dv); });
        const Evaluation run = as_evaluation(scenario, status, measurement);
        if (!run.ok()) return run;
        return as_evaluation(scenario, sights.write(scenario.model, {first_row_[s], parameters()}, r, *jacobian));
      });
  if (evaluation.ok() && !(r.allFinite() && (!jacobian || jacobian->allFinite())))
    evaluation.failure = "a residual is not finite";
  return evaluation;
}

/// Linearization by the stored runs of all recordings.
class TrajectoryResidual::Recorded final : public Linearization {
 public:
  Recorded(const TrajectoryResidual& residual, Vector theta)
      : residual_(residual), theta_(std::move(theta)), recordings_(residual.measurements_.size()) {}

  Evaluation record() {
    r_.resize(residual_.rows());
    const double budget = residual_.adjoint_budget_mb_ / recordings_.size();
    Evaluation evaluation = residual_.for_each_recording(
        theta_, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
          recordings_[s] = std::make_unique<Recording>(measurement, scenario, budget);
          Recording& recording = *recordings_[s];
          Readings readings(recording.measurement, residual_.map_.moves_recording_frame(s));
          diff::RolloutStatus status =
              recording.rollout.forward([&](Index n, const sim::State& state) { readings.add_state(n, state); });
          if (status.ok() && status.rest && status.rest->is_loose())
            status = recording.rollout.check_start(residual_.map_.directions(theta_, s));
          const Evaluation run = as_evaluation(scenario, status, measurement);
          if (!run.ok()) return run;
          auto mine = r_.segment(residual_.first_row_[s], residual_.row_count(s));
          const Evaluation read = as_evaluation(scenario, readings.residual(scenario.model, mine));
          if (read.ok()) recording.slopes.emplace(readings, scenario.model);
          return read;
        });
    if (evaluation.ok() && !r_.allFinite()) evaluation.failure = "a residual is not finite";
    return evaluation;
  }

  const Vector& residual() const override { return r_; }

  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    Eigen::MatrixXd one;
    const Evaluation evaluation = jvp_block(d, one);
    Jd = one.col(0);
    return evaluation;
  }

  /// A sweep along a stored run carries several columns; several sweeps run in parallel.
  Evaluation jvp_block(const Eigen::MatrixXd& D, Eigen::MatrixXd& JD) const override {
    residual_.counts_.tangent += D.cols();
    JD.setZero(residual_.rows(), D.cols());
    Evaluation evaluation = residual_.in_parallel([&](std::size_t s) {
      return for_each_sweep(s, D.cols(), [&](Index first, Index end) {
        return push_forward(s, D.middleCols(first, end - first), JD.middleCols(first, end - first));
      });
    });
    if (evaluation.ok() && !JD.allFinite()) evaluation.failure = "a tangent is not finite";
    return evaluation;
  }

  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    Eigen::MatrixXd one;
    const Evaluation evaluation = vjp_block(w, one);
    Jtw = one.col(0);
    return evaluation;
  }

  Evaluation vjp_block(const Eigen::MatrixXd& W, Eigen::MatrixXd& JtW) const override {
    residual_.counts_.adjoint += W.cols();
    std::vector<Eigen::MatrixXd> share(recordings_.size());
    Evaluation evaluation = residual_.in_parallel([&](std::size_t s) {
      Recording& recording = *recordings_[s];
      share[s] = Eigen::MatrixXd::Zero(residual_.parameters(), W.cols());
      return for_each_sweep(s, W.cols(), [&](Index first, Index end) {
        const auto mine = W.block(residual_.first_row_[s], first, residual_.row_count(s), end - first);
        const Eigen::MatrixXd values = gather_gradients(recording.rollout, *recording.slopes, mine);
        for (Index c = first; c < end; ++c) {
          Vector gradient = Vector::Zero(residual_.parameters());
          residual_.map_.pull_back(theta_, s, values.col(c - first), gradient);
          share[s].col(c) = gradient;
        }
        return starts_from_rest(s) ? Evaluation{recording.rollout.backward_failure()} : Evaluation{};
      });
    });
    JtW = Eigen::MatrixXd::Zero(residual_.parameters(), W.cols());
    for (const Eigen::MatrixXd& g : share)
      if (g.size() > 0) JtW += g;
    if (evaluation.ok() && !JtW.allFinite()) evaluation.failure = "the gradient is not finite";
    return evaluation;
  }

 private:
  struct Recording {
    Recording(const MeasurementModel& from, const diff::Scenario& scenario, double budget)
        : measurement(from), size(scenario.size()), rollout(scenario, budget) {}
    MeasurementModel measurement;  ///< with the recording_frame at θ
    Index size = 0;                ///< number of flat values of the scenario
    diff::AdjointRollout rollout;
    std::optional<ReadingSlopes> slopes;  ///< after the run
  };

  bool starts_from_rest(std::size_t s) const { return residual_.map_.scenarios()[s].rest_near.has_value(); }
  /// Calls sweep(first, end) for sweeps along one stored run, each with a part of the columns, on several threads if
  /// that is worthwhile. Returns the first failure. (Only the derivative of an equilibrium can fail. The rollout
  /// reports only the failure of its last sweep, so that sweeps from an equilibrium run one after the other.)
  template <class Sweep>
  Evaluation for_each_sweep(std::size_t s, Index columns, const Sweep& sweep) const {
    const Index count = (columns + columns_per_sweep - 1) / columns_per_sweep;
    std::vector<Evaluation> evaluations(static_cast<std::size_t>(count));
    const double one = run_cost(residual_.map_.scenarios()[s], recordings_[s]->measurement.last_step());
    const double pairs = starts_from_rest(s) ? 0 : one * static_cast<double>(columns);
    sim::parallel_for(count, pairs,
                      [&](Index k) { evaluations[k] = sweep(k * columns / count, (k + 1) * columns / count); });
    for (Evaluation& evaluation : evaluations)
      if (!evaluation.ok()) return std::move(evaluation);
    return {};
  }

  /// Computes the rows of one recording for some of the columns.
  Evaluation push_forward(std::size_t s, const Eigen::Ref<const Eigen::MatrixXd>& D,
                          Eigen::Ref<Eigen::MatrixXd> JD) const {
    Recording& recording = *recordings_[s];
    Eigen::MatrixXd changes(recording.size + RecordingFrame::size(), D.cols());
    for (Index c = 0; c < D.cols(); ++c) changes.col(c) = residual_.map_.push_forward(theta_, s, D.col(c));
    RowMatrix inputs = RowMatrix::Zero(3 * recording.measurement.inputs(), D.cols());
    const diff::RolloutStatus status = recording.rollout.tangent(
        changes.topRows(recording.size),
        [&](Index n, const sim::State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
          recording.measurement.add_tangent(n, dx, dv, inputs);
        });
    const Eigen::MatrixXd of_frame = changes.bottomRows(RecordingFrame::size());
    const Eigen::MatrixXd of_model = changes.topRows(residual_.map_.scenarios()[s].model.values().size());
    JD.middleRows(residual_.first_row_[s], residual_.row_count(s)) =
        recording.slopes->push_forward({inputs, of_frame, of_model});
    return as_evaluation(residual_.map_.scenarios()[s], status);
  }

  const TrajectoryResidual& residual_;
  Vector theta_, r_;
  std::vector<std::unique_ptr<Recording>> recordings_;  ///< by scenario; null without rows
};

Evaluation TrajectoryResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  ++counts_.forward;
  at.reset();
  auto recorded = std::make_unique<Recorded>(*this, theta);
  Evaluation evaluation = recorded->record();
  if (evaluation.ok()) at = std::move(recorded);
  return evaluation;
}

namespace {

constexpr double memory_mb = 1024;  // of all stored runs together; beyond it, parts of the runs are recomputed

/// Adds to the last rows of the gradients: ∂r/∂(reference) is 1/σ for the rows of the component.
void add_references(const MeasurementModel& measurement, Eigen::MatrixXd weights, Index first,
                    Eigen::MatrixXd& gradients) {
  for (Index k = 0; k < weights.cols(); ++k) measurement.whitening().apply_transposed(weights.col(k));
  for (const MeasurementModel::Sample& sample : measurement.samples())
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      gradients.row(first + 3 * sample.marker + measurement.row(row).component) +=
          weights.row(row) / measurement.row_sigma(row);
}

}  // namespace

Index reference_entry(const diff::Scenario& scenario, Index marker, Index component) {
  return scenario.size() + RecordingFrame::size() + 3 * marker + component;
}

Evaluation compute_value_gradients(const TrajectoryResidual& residual, const Vector& theta,
                                   const std::vector<std::size_t>& recordings, const Eigen::MatrixXd& W,
                                   std::vector<Eigen::MatrixXd>& gradients) {
  gradients.clear();
  for (const std::size_t s : recordings)
    gradients.push_back(Eigen::MatrixXd::Zero(
        reference_entry(residual.map().scenarios()[s], residual.measurement(s).markers(), 0), W.cols()));
  return residual.for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) -> Evaluation {
        const auto place = std::find(recordings.begin(), recordings.end(), s);
        if (place == recordings.end()) return {};
        Eigen::MatrixXd& mine = gradients[place - recordings.begin()];
        Readings readings(measurement, true);
        diff::AdjointRollout rollout(scenario, memory_mb / static_cast<double>(recordings.size()));
        const diff::RolloutStatus status =
            rollout.forward([&](Index n, const sim::State& state) { readings.add_state(n, state); });
        if (!status.ok()) return as_evaluation(scenario, status);
        const ReadingSlopes slopes(readings, scenario.model);
        const auto weights = W.middleRows(residual.first_row(s), measurement.rows());
        std::vector<Index> columns;
        for (Index k = 0; k < W.cols(); ++k)
          if (!weights.col(k).isZero(0)) columns.push_back(k);
        for (auto first = columns.begin(); first != columns.end();) {
          const auto end = first + std::min(columns_per_sweep, columns.end() - first);
          const std::vector<Index> some(first, end);
          first = end;
          const Eigen::MatrixXd of_values = gather_gradients(rollout, slopes, weights(Eigen::all, some));
          mine.topRows(of_values.rows())(Eigen::all, some) = of_values;
          if (!rollout.backward_failure().empty()) return {rollout.backward_failure()};
        }
        add_references(measurement, weights, reference_entry(scenario, 0, 0), mine);
        return mine.allFinite() ? Evaluation{} : Evaluation{"the gradient of its start is not finite"};
      });
}

}  // namespace pithball::optim
