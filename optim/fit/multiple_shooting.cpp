#include "optim/fit/multiple_shooting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "optim/fit/problem.hpp"
#include "optim/observation/readings.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {

bool moves_clock(const ParameterMap& map, const Vector& theta, Index recording) {
  constexpr Index of_clock = 2;  // the first of RecordingFrame::values(): clock_offset, clock_scale
  static const Index row_time = recording_frame_offset("row_time");
  if (!map.moves_recording_frame(recording)) return false;
  const Eigen::MatrixXd directions = map.recording_frame_directions(theta, recording);
  return !directions.topRows(of_clock).isZero(0) || !directions.row(row_time).isZero(0);
}

/// One recording, cut into segments. The state of segment 0 is given; those of the others are unknown.
struct ShootingResidual::SegmentedRecording {
  diff::Segments from_recording;  ///< the states with all unknown changes at zero
  std::vector<Index> free;        ///< flat coordinates of particles that are not held
  double length_unit = 1;         ///< of unknown positions and gaps [m]
  double speed_unit = 1;          ///< of velocities [m/s]
  Index first_unknown = 0;        ///< index in the vector of unknowns
  Index first_gap_row = 0;
  /// A row of the residual depends on one segment or on two consecutive ones, so that the derivatives with respect to
  /// the states of every other segment can share columns of the Jacobian. If a clock is fitted, a row can move to any
  /// segment, and each segment has its own columns.
  bool rows_can_move = false;
  /// Consecutive rows, and the first and last segment on which they depend.
  struct Rows {
    Index first_row, rows, first_segment, last_segment;
  };
  std::vector<Rows> readings = {};

  Index half() const { return free.size(); }
  Index state_size() const { return 2 * half(); }
  /// Number of unknown states.
  Index states() const { return free.empty() ? 0 : static_cast<Index>(from_recording.begin.size()); }
  Index states_side_by_side() const { return rows_can_move ? states() : std::min<Index>(2, states()); }
  Index unknowns() const { return state_size() * states(); }
  Index width() const { return state_size() * states_side_by_side(); }
  /// First column of the derivatives with respect to the state of a segment in the Jacobian, after those for θ.
  Index column(Index segment) const { return (segment - 1) % states_side_by_side() * state_size(); }
  Vector units() const {
    Vector units(state_size());
    units << Vector::Constant(half(), length_unit), Vector::Constant(half(), speed_unit);
    return units;
  }
  Index segment_of(Index step) const {
    const std::vector<Index>& begin = from_recording.begin;
    return std::upper_bound(begin.begin(), begin.end(), step) - begin.begin();
  }
  /// Finds the segments on which the recording's rows, from `row` on, depend. Readings between two steps depend on
  /// both.
  void find_readings(const MeasurementModel& measurement, double time_step, Index row) {
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      const auto before = static_cast<Index>(std::floor(sample.time / time_step));
      const Index first = rows_can_move ? 0 : segment_of(before),
                  last = rows_can_move ? states() : segment_of(before + 1);
      if (readings.empty() || readings.back().first_segment != first || readings.back().last_segment != last)
        readings.push_back({row + sample.first_row, 0, first, last});
      readings.back().rows += sample.row_count;
    }
  }
  /// Returns the segments with the unknown changes in x applied.
  diff::Segments at(const Vector& x) const {
    const Index own = state_size();
    diff::Segments segments = from_recording;
    for (std::size_t k = 0; k < segments.states.size(); ++k) {
      const auto change = x.segment(first_unknown + static_cast<Index>(k) * own, own);
      sim::flat(segments.states[k].x)(free) += length_unit * change.head(half());
      sim::flat(segments.states[k].v)(free) += speed_unit * change.tail(half());
    }
    return segments;
  }
};

/// A recording at θ.
struct ShootingResidual::Recording {
  std::size_t number;
  const diff::Scenario& scenario;
  const MeasurementModel& measurement;
  const Vector& theta;
};

ShootingResidual::ShootingResidual(const FitProblem& problem, Index segments, EvaluationCounts& counts)
    : problem_(problem),
      segments_(segments),
      trajectories_(make_parameter_map(problem), problem.observations),
      map_(trajectories_.map()),
      priors_(map_, problem.parameters),
      counts_(counts) {}

ShootingResidual::~ShootingResidual() = default;

Evaluation ShootingResidual::cut(const Vector& theta) {
  ++counts_.forward;
  segmented_.assign(problem_.scenarios.size(), {});
  const Evaluation evaluation = trajectories_.for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
        const Index k = s;
        Observation seen = problem_.observations[s];
        if (map_.moves_recording_frame(k)) seen.recording_frame = map_.recording_frame(theta, k);
        SegmentedRecording& mine = segmented_[s];
        diff::RolloutStatus status;
        mine.from_recording =
            states_from_recording(scenario, seen, measurement, diff::even_segments(scenario.steps, segments_), status);
        mine.free = diff::free_coordinates(scenario.model);
        mine.length_unit = seen.noise.sigma.mean();
        mine.speed_unit = mine.length_unit * segments_ / (scenario.steps * scenario.time_step);
        mine.rows_can_move = moves_clock(map_, theta, k);
        mine.find_readings(measurement, scenario.time_step, trajectories_.first_row(s));
        return as_evaluation(scenario, status);
      });
  Index unknown = map_.size(), row = trajectories_.rows();
  for (SegmentedRecording& segmented : segmented_) {
    segmented.first_unknown = unknown;
    segmented.first_gap_row = row;
    unknown += segmented.unknowns();
    row += segmented.unknowns();
  }
  parameters_ = unknown;
  rows_ = row + priors_.rows();
  return evaluation;
}

ResidualStructure ShootingResidual::structure() const {
  ResidualStructure made{std::vector<Index>(map_.size(), 1), {}};
  std::vector<ResidualStructure::Use> of_values;
  for (Index k = 0; k < map_.size(); ++k) of_values.push_back({k, k});
  for (const SegmentedRecording& segmented : segmented_) {
    const Index first_state = made.block_sizes.size();
    made.block_sizes.insert(made.block_sizes.end(), segmented.states(), segmented.state_size());
    const auto add_rows = [&](const SegmentedRecording::Rows& rows) {
      made.parts.push_back({rows.first_row, rows.rows, of_values});
      for (Index segment = std::max<Index>(rows.first_segment, 1);
           segment <= std::min(rows.last_segment, segmented.states()); ++segment)
        made.parts.back().uses.push_back({first_state + segment - 1, map_.size() + segmented.column(segment)});
    };
    for (const SegmentedRecording::Rows& rows : segmented.readings) add_rows(rows);
    for (Index k = 0; k < segmented.states(); ++k)
      add_rows({segmented.first_gap_row + k * segmented.state_size(), segmented.state_size(), k, k + 1});
  }
  if (priors_.rows() > 0) made.parts.push_back({rows_ - priors_.rows(), priors_.rows(), of_values});
  return made;
}

Evaluation ShootingResidual::evaluate(const Vector& x, Vector& r, Eigen::MatrixXd* jacobian) const {
  ++(jacobian ? counts_.tangent : counts_.forward);
  const Vector theta = x.head(map_.size());
  r.setZero(rows());
  if (jacobian) jacobian->setZero(rows(), map_.size() + width());
  Evaluation evaluation = trajectories_.for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
        return evaluate_recording({s, scenario, measurement, theta}, x, r, jacobian);
      });
  if (!evaluation.ok()) return evaluation;
  weigh_samples(problem_.loss, trajectories_.samples(), r, jacobian);
  if (priors_.rows() > 0) {
    Vector below;
    Eigen::MatrixXd slopes;
    evaluation = priors_.evaluate(theta, below, jacobian ? &slopes : nullptr);
    if (!evaluation.ok()) return evaluation;
    r.tail(below.size()) = below;
    if (jacobian) jacobian->bottomLeftCorner(below.size(), map_.size()) = slopes;
  }
  return evaluation;
}

double ShootingResidual::cost(const Vector& r) const {
  return (r.head(trajectories_.rows()).squaredNorm() + r.tail(priors_.rows()).squaredNorm()) / 2;
}

Evaluation ShootingResidual::evaluate_recording(const Recording& recording, const Vector& x, Vector& r,
                                                Eigen::MatrixXd* jacobian) const {
  const SegmentedRecording& segmented = segmented_[recording.number];
  const diff::Segments segments = segmented.at(x);
  diff::GapTangents between;
  const Evaluation evaluation = jacobian ? run_with_tangents(recording, segments, between, r, *jacobian)
                                         : run_alone(recording, segments, between.gaps, r);
  if (!evaluation.ok()) return evaluation;
  for (std::size_t k = 0; k < between.gaps.size(); ++k) {
    auto mine =
        r.segment(segmented.first_gap_row + static_cast<Index>(k) * segmented.state_size(), segmented.state_size());
    mine << gap_weight_ / segmented.length_unit * sim::flat(between.gaps[k].x)(segmented.free),
        gap_weight_ / segmented.speed_unit * sim::flat(between.gaps[k].v)(segmented.free);
  }
  return {};
}

Evaluation ShootingResidual::run_alone(const Recording& recording, const diff::Segments& segments,
                                       std::vector<sim::State>& gaps, Vector& r) const {
  Readings readings(recording.measurement);
  const diff::RolloutStatus status = diff::run_segments(
      recording.scenario, segments, [&](Index n, const sim::State& state) { readings.add_state(n, state); }, gaps);
  if (!status.ok()) return as_evaluation(recording.scenario, status);
  auto mine = r.segment(trajectories_.first_row(recording.number), recording.measurement.rows());
  return as_evaluation(recording.scenario, readings.residual(recording.scenario.model, mine));
}

Evaluation ShootingResidual::run_with_tangents(const Recording& recording, const diff::Segments& segments,
                                               diff::GapTangents& between, Vector& r, Eigen::MatrixXd& jacobian) const {
  const SegmentedRecording& segmented = segmented_[recording.number];
  const Index number = static_cast<Index>(recording.number), P = map_.active(number).size();
  TangentMeasurements readings(map_, recording.theta, number, recording.measurement, segmented.width());
  Eigen::MatrixXd wide_dx, wide_dv;
  const auto widen = [&](const Eigen::MatrixXd& narrow, Index segment, Eigen::MatrixXd& wide) -> const auto& {
    wide.setZero(narrow.rows(), P + segmented.width());
    wide.leftCols(P) = narrow.leftCols(P);
    if (segment > 0)
      wide.middleCols(P + segmented.column(segment), segmented.state_size()) = narrow.rightCols(segmented.state_size());
    return wide;
  };
  const diff::RolloutStatus status = diff::run_segments_tangent(
      recording.scenario, segments, map_.directions(recording.theta, number),
      [&](Index segment, Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        readings.add(n, state, widen(dx, segment, wide_dx), widen(dv, segment, wide_dv));
      },
      between);
  if (const Evaluation begun = as_evaluation(recording.scenario, status, recording.measurement); !begun.ok())
    return begun;
  const std::string unread =
      readings.write(recording.scenario.model, {trajectories_.first_row(number), map_.size()}, r, jacobian);
  if (!unread.empty()) return as_evaluation(recording.scenario, unread);
  jacobian.block(trajectories_.first_row(number), map_.size(), recording.measurement.rows(), segmented.width()) *=
      segmented.units().replicate(segmented.states_side_by_side(), 1).asDiagonal();
  write_gap_rows(segmented, between.tangents, map_.active(number), jacobian);
  return {};
}

/// Rows of gap k: the end of segment k, which depends on its own state if k > 0, minus the state of segment k + 1,
/// which is an unknown in the same unit.
void ShootingResidual::write_gap_rows(const SegmentedRecording& segmented,
                                      const std::vector<diff::StateTangents>& tangents,
                                      const std::vector<Index>& active, Eigen::MatrixXd& jacobian) const {
  const Index P = active.size(), own = segmented.state_size();
  const Vector units = segmented.units();
  for (Index k = 0; k < segmented.states(); ++k) {
    Eigen::MatrixXd end(own, P + (k > 0 ? own : 0));
    end << tangents[k].dx(segmented.free, Eigen::all), tangents[k].dv(segmented.free, Eigen::all);
    end = gap_weight_ * units.cwiseInverse().asDiagonal() * end;
    auto rows = jacobian.middleRows(segmented.first_gap_row + k * own, own);
    for (Index c = 0; c < P; ++c) rows.col(active[c]) = end.col(c);
    if (k > 0) rows.middleCols(map_.size() + segmented.column(k), own) = end.rightCols(own) * units.asDiagonal();
    rows.middleCols(map_.size() + segmented.column(k + 1), own).diagonal().setConstant(-gap_weight_);
  }
}

Index ShootingResidual::width() const {
  Index width = 0;
  for (const SegmentedRecording& segmented : segmented_) width = std::max(width, segmented.width());
  return width;
}

namespace {

/// Weights of the gaps in successive searches.
constexpr double gap_weights[] = {0.1, 1, 10, 100, 1000};
/// Largest change of a θ in a search under one weight; θ is scaled so that 1 is a large change. With loosely coupled
/// segments, the states soon absorb the rest of a small effect, and its value would run away.
constexpr double reach = 1;
/// Relative decrease of the cost at which a search ends: each search is only the start of the next.
constexpr double loose_tolerance = 1e-4;

}  // namespace

void check_shooting(const FitProblem& problem, Index segments) {
  if (segments < 2)
    throw InvalidArgument({"", "segments", "must be >= 2", std::to_string(segments), "omit it for one segment"});
  for (std::size_t s = 0; s < problem.observations.size(); ++s)
    if (const MeasurementKind& kind = kind_of(problem.observations[s]); !kind.geometry.is_place)
      throw InvalidArgument({"", "segments",
                             "requires positions of points, from which the states of the segments begin",
                             "recording '" + problem.scenarios[s].name + "' of measurement " + kind.name,
                             "write stages with a growing horizon instead: fit.stages: [{horizon: …}]"});
  for (std::size_t s = 0; s < problem.observations.size(); ++s)
    if (problem.observations[s].noise.thermal_energy > 0)
      throw InvalidArgument({"", "segments", "requires readings with independent errors",
                             "Brownian motion in recording '" + problem.scenarios[s].name + "'", "leave it out"});
  const ParameterMap map = make_parameter_map(problem);
  std::optional<Index> rows = 0;
  Index width = 0;
  const auto product = [](Index a, Index b) { return checked_product(std::array{a, b}, largest_shooting); };
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s) {
    const Observation& seen = problem.observations[s];
    const Index state = 2 * static_cast<Index>(diff::free_coordinates(problem.scenarios[s].model).size());
    const std::optional<Index> readings = product(3 * seen.times.size(), seen.markers.size()),
                               states = product(segments - 1, state);
    rows = rows && readings && states ? std::optional(*rows + *readings + *states) : std::nullopt;
    if (rows) width = std::max(width, moves_clock(map, map.initial(), static_cast<Index>(s)) ? *states : 2 * state);
  }
  const std::optional<Index> numbers = rows ? product(*rows, map.size() + width) : std::nullopt;
  if (!numbers)
    throw InvalidArgument({"", "segments",
                           "must leave a Jacobian of at most " + std::to_string(largest_shooting) + " numbers",
                           std::to_string(segments) + " segments", "use fewer segments, or a growing horizon"});
}

MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts, const MinimizerWatch& watch) {
  check_shooting(problem, segments);
  ShootingResidual residual(problem, segments, counts);
  const ParameterMap& map = residual.map();
  MinimizerReport report;
  report.theta = start;
  if (const Evaluation evaluation = residual.cut(start); !evaluation.ok()) {
    report.message = "cannot evaluate: " + evaluation.failure;
    return report;
  }
  const Index states = residual.parameters() - map.size();
  const Vector nowhere = Vector::Constant(states, std::numeric_limits<double>::infinity());
  Vector x = Vector::Zero(residual.parameters());
  x.head(map.size()) = start;
  MinimizerOptions options = problem.search.minimizer;
  options.function_tolerance = std::max(options.function_tolerance, loose_tolerance);
  MinimizerWatch with_states = watch.silent();
  if (watch.on_iteration)
    with_states.on_iteration = [&](const IterationReport& iteration) {
      IterationReport values = iteration;
      values.theta = iteration.theta.head(map.size());
      watch.on_iteration(values);
    };
  for (const double weight : gap_weights) {
    residual.set_gap_weight(weight);
    Bounds bounds{Vector(residual.parameters()), Vector(residual.parameters())};
    bounds.lower << (x.head(map.size()).array() - reach).matrix().cwiseMax(map.lower()), -nowhere;
    bounds.upper << (x.head(map.size()).array() + reach).matrix().cwiseMin(map.upper()), nowhere;
    const MinimizerReport found = levenberg_marquardt(residual, x, bounds, options, with_states);
    x = found.theta;
    report.status = found.status;
    report.message = found.message;
    report.failed_evaluations += found.failed_evaluations;
    for (std::size_t k = 0; k < found.cost_history.size(); ++k)  // with many values only the end of the path is kept
      report.add_iteration(found.cost_history[k], (found.path.empty() ? x : found.path[k]).head(map.size()));
    if (found.status == MinimizerStatus::Failed || found.status == MinimizerStatus::Stopped) break;
  }
  report.theta = x.head(map.size());
  Vector r;
  if (residual.evaluate(x, r, nullptr).ok()) report.cost = residual.cost(r);
  return report;
}

}  // namespace pithball::optim
