#include "optim/diagnosis/measurement_chain.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "optim/fit/problem.hpp"
#include "optim/observation/readings.hpp"
#include "optim/parameter/value_entries.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Computes the residuals at θ, changed by G β.
Evaluation run_linear(const ResolvedFit& fit, const Vector& theta, const Eigen::SparseMatrix<double>& G,
                      const Vector& beta, Vector& r) {
  Evaluation evaluation = fit.residual().trajectories().evaluate(theta, r, nullptr);
  if (evaluation.ok()) r += G * beta;
  return evaluation;
}

/// A value of one recording's recording_frame.
struct FramePlace {
  std::size_t recording = 0;  ///< its index
  Index offset = 0;           ///< in RecordingFrame::values()
};

/// Computes the residuals at θ with this value changed by β; throws InvalidArgument if a frame is then outside the
/// simulated time.
Evaluation run_frame(const ResolvedFit& fit, FramePlace place, const Vector& theta, const Vector& beta, Vector& r) {
  SeenAt seen(fit, theta);
  Vector values = seen.recording_frames[place.recording].values();
  values.segment(place.offset, beta.size()) += beta;
  seen.recording_frames[place.recording] = RecordingFrame::of(values);
  seen.observations[place.recording].recording_frame = seen.recording_frames[place.recording];
  const TrajectoryResidual residual = seen.residual_of({}, fit.map().scatter(theta));
  return residual.evaluate(Vector(), r, nullptr);
}

/// Collects the candidates of one recording.
class ChainOfRecording {
 public:
  ChainOfRecording(const ResolvedFit& fit, const FittedEnd& end, std::size_t recording,
                   const MeasurementModel& measurement)
      : fit_(fit),
        end_(end),
        recording_(recording),
        measurement_(measurement),
        kind_(measurement.instrument().kind()),
        readings_(measurement, true) {
    for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(recording))) fitted_.insert(entry.index);
  }

  void add_state(Index n, const sim::State& state) { readings_.add_state(n, state); }

  std::vector<CandidateEffect> take(const diff::Scenario& scenario) {
    scenario_ = &scenario;
    Eigen::MatrixXd of_frame;
    add_frame_values(of_frame);
    add_smoothing(of_frame.col(recording_frame_offset("clock_offset")));
    add_scale();
    add_drift();
    if (measurement_.markers() > 1) add_marker_offsets();
    return std::move(effects_);
  }

 private:
  /// Calls visit(sample, row) for every row.
  template <class Visit>
  void for_each_row(Visit visit) const {
    for (const MeasurementModel::Sample& sample : measurement_.samples())
      for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row) visit(sample, row);
  }

  /// `of_frame`: derivatives with respect to the values of the recording_frame.
  void add_frame_values(Eigen::MatrixXd& of_frame) {
    of_frame.resize(measurement_.rows(), RecordingFrame::size());
    readings_.for_each_slope(scenario_->model, [&](const MeasurementModel::Sample& sample, const ReadingSlope& slope) {
      for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
        of_frame.row(row) = slope.frame.row(measurement_.row(row).component) / measurement_.row_sigma(row);
    });
    has_scale_ = !of_frame.col(recording_frame_offset("placement_scale")).isZero(0);
    const Vector values = end_.seen.recording_frames[recording_].values();
    for (const RecordingFrameValue& value : recording_frame_values()) {
      bool is_fitted = false;
      for (Index k = 0; k < value.size; ++k)
        is_fitted = is_fitted || fitted_.contains(scenario_->size() + value.offset + k);
      const Eigen::MatrixXd columns = of_frame.middleCols(value.offset, value.size);
      if (is_fitted || columns.isZero(0)) continue;
      CandidateEffect& effect = add(value.name, value.unit, values.segment(value.offset, value.size), columns);
      effect.run = [&fit = fit_, place = FramePlace{recording_, value.offset}, G = effect.G](
                       const Vector& theta, const Vector& beta, Vector& r) {
        try {
          if (Evaluation evaluation = run_frame(fit, place, theta, beta, r); evaluation.ok()) return evaluation;
        } catch (const InvalidArgument&) {  // beyond the simulated time
        }
        return run_linear(fit, theta, G, beta, r);
      };
    }
  }

  /// Adds the scale of the recorded numbers if no value scales them already and the unit in a file may be wrong by a
  /// factor.
  void add_scale() {
    if (has_scale_ || kind_.period > 0 || kind_.unit == "px") return;
    Vector column(measurement_.rows());
    for_each_row(
        [&](const auto&, Index row) { column[row] = measurement_.row(row).offset / measurement_.row_sigma(row); });
    if (!column.isZero(0)) add_linear("scale", "", Vector::Ones(1), column);
  }

  /// `rates`: time derivatives of the residuals, by row.
  void add_smoothing(const Vector& rates) {
    std::map<std::pair<Index, int>, std::vector<std::pair<Index, double>>> coordinates;  // rows and their times
    for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
      coordinates[{sample.marker, measurement_.row(row).component}].emplace_back(row, sample.since_first);
    });
    const auto rate = [&](Index row) { return rates[row] * measurement_.row_sigma(row); };
    Vector column = Vector::Zero(measurement_.rows());
    for (const auto& [coordinate, seen] : coordinates)
      for (std::size_t k = 1; k + 1 < seen.size(); ++k) {
        const auto& [before, early] = seen[k - 1];
        const auto& [after, late] = seen[k + 1];
        const double curvature = (rate(after) - rate(before)) / (late - early);
        column[seen[k].first] = curvature / (24 * measurement_.row_sigma(seen[k].first));
      }
    if (!column.isZero(0)) add_linear("smoothing", "s^2", Vector::Zero(1), column).candidate.one_sided = true;
  }

  void add_drift() {
    double sum = 0, count = 0;
    for_each_row([&](const MeasurementModel::Sample& sample, Index) {
      sum += sample.since_first;
      ++count;
    });
    const int components = measurement_.instrument().components();
    Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(measurement_.rows(), components);
    for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
      columns(row, measurement_.row(row).component) = (sample.since_first - sum / count) / measurement_.row_sigma(row);
    });
    if (!columns.isZero(0)) add_linear("drift", kind_.unit + "/s", Vector::Zero(components), columns);
  }

  void add_marker_offsets() {
    const int components = measurement_.instrument().components();
    for (Index m = 0; m < measurement_.markers(); ++m) {
      Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(measurement_.rows(), components);
      for_each_row([&](const MeasurementModel::Sample& sample, Index row) {
        if (sample.marker == m) columns(row, measurement_.row(row).component) = 1 / measurement_.row_sigma(row);
      });
      if (columns.isZero(0)) continue;
      CandidateEffect& effect = add_linear("marker_offset", kind_.unit, Vector::Zero(components), columns);
      effect.candidate.name = "offset of marker " + measurement_.marker_name(m) + of_recording();
      effect.candidate.item = m;
    }
  }

  std::string of_recording() const {
    return end_.scenarios.size() > 1 ? " of recording '" + scenario_->name + "'" : "";
  }

  /// `columns`: ∂r/∂β in the rows of this recording.
  CandidateEffect& add(const std::string& value, const std::string& unit, const Vector& held,
                       const Eigen::MatrixXd& columns) {
    CandidateEffect& effect = effects_.emplace_back();
    Candidate& candidate = effect.candidate;
    candidate.name = value + of_recording();
    candidate.value = value;
    candidate.unit = unit;
    candidate.recording = scenario_->name;
    candidate.owner = sim::ValueOwner::Term;
    candidate.held = held;
    candidate.concern = Concern::Measurement;
    const TrajectoryResidual& residual = fit_.residual().trajectories();
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(residual.rows(), columns.cols());
    all.middleRows(residual.first_row(recording_), columns.rows()) = columns;
    effect.G = all.sparseView();
    return effect;
  }

  CandidateEffect& add_linear(const std::string& value, const std::string& unit, const Vector& held,
                              const Eigen::MatrixXd& columns) {
    CandidateEffect& effect = add(value, unit, held, columns);
    effect.run = [&fit = fit_, G = effect.G](const Vector& theta, const Vector& beta, Vector& r) {
      return run_linear(fit, theta, G, beta, r);
    };
    return effect;
  }

  const ResolvedFit& fit_;
  const FittedEnd& end_;
  const std::size_t recording_;
  const MeasurementModel& measurement_;
  const MeasurementKind& kind_;
  Readings readings_;
  std::set<Index> fitted_;  ///< entries of the recording's flat values
  const diff::Scenario* scenario_ = nullptr;
  bool has_scale_ = false;  ///< whether its placement has one, fitted or not
  std::vector<CandidateEffect> effects_;
};

}  // namespace

MeasurementChain find_measurement_chain(const ResolvedFit& fit, const FittedEnd& end) {
  std::vector<std::vector<CandidateEffect>> by_recording(end.scenarios.size());
  MeasurementChain found;
  found.evaluation = fit.residual().trajectories().for_each_recording(
      end.theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
        ChainOfRecording chain(fit, end, s, measurement);
        const diff::RolloutStatus status =
            diff::run_forward(scenario, [&](Index n, const sim::State& state) { chain.add_state(n, state); });
        Evaluation evaluation = as_evaluation(scenario, status);
        if (evaluation.ok()) by_recording[s] = chain.take(scenario);
        return evaluation;
      });
  for (std::vector<CandidateEffect>& one : by_recording)
    if (found.evaluation.ok()) std::ranges::move(one, std::back_inserter(found.effects));
  return found;
}

namespace {

Parameter every_coordinate(const char* value) {
  Parameter parameter;
  parameter.value = value;
  parameter.entries.sharing = EntrySharing::None;
  parameter.recordings.sharing = RecordingSharing::Each;
  parameter.range.transform = Transform::Kind::Identity;
  return parameter;
}

/// A kind of start value: "position" or "velocity".
struct StartKind {
  const char *value, *name, *unit;
};
constexpr StartKind start_kinds[] = {{"position", "start_position", "m"}, {"velocity", "start_velocity", "m/s"}};

Index count_frames(const MeasurementModel& measurement) {
  Index frames = 0, last = -1;
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    frames += sample.frame != last;
    last = sample.frame;
  }
  return frames;
}

/// Returns the directions in which q numbers change these start values: entries × q.
Eigen::MatrixXd find_motions(const std::vector<ValueEntry>& entries, const Points& x, Index frames) {
  const Index count = entries.size();
  if (count <= 6 || frames_for_each_number * count <= frames) return Eigen::MatrixXd::Identity(count, count);
  std::set<Index> moved;
  Vec3 center = Vec3::Zero();
  for (const ValueEntry& entry : entries) moved.insert(entry.owner);
  for (const Index i : moved) center += x.col(i) / static_cast<double>(moved.size());
  double square = 0;
  for (const Index i : moved) square += (x.col(i) - center).squaredNorm() / static_cast<double>(moved.size());
  const double radius = square > 0 ? std::sqrt(square) : 1;
  Eigen::MatrixXd motions = Eigen::MatrixXd::Zero(count, 6);
  for (Index e = 0; e < count; ++e) {
    const ValueEntry& entry = entries[e];
    motions(e, entry.component) = 1;
    for (Index k = 0; k < 3; ++k)
      motions(e, 3 + k) = Vec3::Unit(k).cross(x.col(entry.owner) - center)[entry.component] / radius;
  }
  return motions;
}

/// One kind of start value of one recording, as q directions in the space of the parameters.
struct StartColumns {
  std::size_t recording = 0;
  StartKind kind;
  Eigen::SparseMatrix<double> directions;  ///< parameters × q
};

/// All start positions and velocities of all recordings as parameters, and the directions to be tested.
class StartSet {
 public:
  StartSet(const ResolvedFit& fit, const FittedEnd& end)
      : fit_(fit), residual_(end.seen.residual_of(declarations(), end.scenarios)) {
    for (std::size_t s = 0; s < end.scenarios.size(); ++s) {
      const Index frames = count_frames(fit.residual().trajectories().measurement(s));
      for (const StartKind& kind : start_kinds)
        if (frames > 0) add(s, kind, end.scenarios[s], frames);
    }
  }

  static std::vector<Parameter> declarations() {
    return {every_coordinate(start_kinds[0].value), every_coordinate(start_kinds[1].value)};
  }

  const std::vector<StartColumns>& columns() const { return columns_; }
  const TrajectoryResidual& residual() const { return residual_; }

  /// The k-th numbers of all recordings form one direction, since recordings share no rows.
  Eigen::MatrixXd directions(const StartKind& kind) const {
    Index most = 0;
    for (const StartColumns& one : columns_)
      if (one.kind.value == kind.value) most = std::max<Index>(most, one.directions.cols());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(residual_.parameters(), most);
    for (const StartColumns& one : columns_)
      if (one.kind.value == kind.value) all.leftCols(one.directions.cols()) += one.directions;
    return all;
  }

 private:
  void add(std::size_t s, const StartKind& kind, const diff::Scenario& scenario, Index frames) {
    std::set<Index> fitted;
    for (const ParameterEntry& entry : fit_.map().entries(static_cast<Index>(s))) fitted.insert(entry.index);
    const std::vector<ValueEntry> entries = find_value_entries(scenario, kind.value).entries;
    if (entries.empty() || std::ranges::any_of(entries, [&](const ValueEntry& e) { return fitted.contains(e.index); }))
      return;
    const Eigen::MatrixXd motions =
        find_motions(entries, scenario.rest_near ? *scenario.rest_near : scenario.initial.x, frames);
    std::vector<Eigen::Triplet<double>> numbers;
    std::map<Index, Index> numbered;  // number among the entries, by index in the flat values
    for (const ValueEntry& entry : entries) numbered.emplace(entry.index, numbered.size());
    for (const ParameterEntry& entry : residual_.map().entries(static_cast<Index>(s)))
      if (const auto e = numbered.find(entry.index); e != numbered.end())
        for (Index k = 0; k < motions.cols(); ++k)
          numbers.emplace_back(entry.shares.front().parameter, k, motions(e->second, k) / entry.scale);
    StartColumns& one = columns_.emplace_back(StartColumns{s, kind, {}});
    one.directions.resize(residual_.parameters(), motions.cols());
    one.directions.setFromTriplets(numbers.begin(), numbers.end());
  }

  const ResolvedFit& fit_;
  TrajectoryResidual residual_;
  std::vector<StartColumns> columns_;
};

CandidateEffect make_effect(const ResolvedFit& fit, const FittedEnd& end, const StartColumns& one,
                            const Eigen::MatrixXd& G) {
  CandidateEffect effect;
  const std::string& recording = end.scenarios[one.recording].name;
  effect.candidate.name =
      one.kind.name + (end.scenarios.size() > 1 ? " of recording '" + recording + "'" : std::string());
  effect.candidate.value = one.kind.name;
  effect.candidate.unit = one.kind.unit;
  effect.candidate.recording = recording;
  effect.candidate.held = Vector::Zero(one.directions.cols());
  effect.candidate.concern = Concern::Measurement;
  const TrajectoryResidual& residual = fit.residual().trajectories();
  const Index first = residual.first_row(one.recording), rows = residual.measurement(one.recording).rows();
  Eigen::MatrixXd mine = Eigen::MatrixXd::Zero(residual.rows(), one.directions.cols());
  mine.middleRows(first, rows) = G.block(first, 0, rows, one.directions.cols());
  effect.G = mine.sparseView();
  effect.run = [&fit, D = one.directions](const Vector& theta, const Vector& beta, Vector& r) {
    const TrajectoryResidual changed =
        SeenAt(fit, theta).residual_of(StartSet::declarations(), fit.map().scatter(theta));
    return changed.evaluate(changed.map().initial() + D * beta, r, nullptr);
  };
  return effect;
}

}  // namespace

StartStates find_start_states(const ResolvedFit& fit, const FittedEnd& end) {
  StartStates found;
  const StartSet starts(fit, end);
  if (starts.columns().empty()) return found;
  std::unique_ptr<Linearization> at;
  found.evaluation = starts.residual().linearize(starts.residual().map().initial(), at);
  for (const StartKind& kind : start_kinds) {
    const Eigen::MatrixXd directions = starts.directions(kind);
    if (!found.evaluation.ok() || directions.cols() == 0) continue;
    Eigen::MatrixXd G;
    found.evaluation = at->jvp_block(directions, G);
    for (const StartColumns& one : starts.columns())
      if (found.evaluation.ok() && one.kind.value == kind.value) found.effects.push_back(make_effect(fit, end, one, G));
  }
  found.counts = starts.residual().counts();
  return found;
}

}  // namespace pithball::optim
