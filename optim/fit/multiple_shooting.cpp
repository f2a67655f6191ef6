#include "optim/fit/multiple_shooting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "optim/fit/fit.hpp"
#include "optim/observation/recorded_states.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/residual/tangent_measurements.hpp"
#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Weights of the gaps, one search after the other.
constexpr double gap_weights[] = {0.1, 1, 10, 100, 1000};
/// How far a search under one weight may move a θ, which is scaled so that 1 is a large change: the states of loose
/// pieces soon explain what is left of a small effect, and its value would run away.
constexpr double reach = 1;
/// Of the relative decrease of the cost: a search under one weight is the start of the next.
constexpr double loose_tolerance = 1e-4;

/// One recording in pieces.
struct Pieces {
  diff::Segments from_recording;  ///< where the unknown changes of the states are zero
  std::vector<Index> free;        ///< flat coordinates of particles that are not held
  double length_unit = 1;         ///< of unknown positions and gaps [m]
  double speed_unit = 1;          ///< of velocities [m/s]
  Index first_unknown = 0;        ///< in the vector of unknowns
  Index first_gap_row = 0;
  Index half() const { return free.size(); }
  Index unknowns() const { return 2 * half() * static_cast<Index>(from_recording.begin.size()); }
  Vector units() const {
    Vector units(2 * half());
    units << Vector::Constant(half(), length_unit), Vector::Constant(half(), speed_unit);
    return units;
  }
};

/// Residuals of the data, the gaps between the pieces, and the priors, as a function of (θ, changes of all states).
class ShootingResidual final : public Residual {
 public:
  ShootingResidual(const FitProblem& problem, Index segments, EvaluationCounts& counts)
      : problem_(problem),
        segments_(segments),
        trajectories_(make_parameter_map(problem), problem.observations),
        map_(trajectories_.map()),
        priors_(map_, problem.parameters),
        counts_(counts) {}

  /// The states of the pieces as the recordings suggest them at θ.
  Evaluation cut(const Vector& theta) {
    ++counts_.forward;
    pieces_.assign(problem_.scenarios.size(), {});
    const Evaluation evaluation = trajectories_.for_each_recording(
        theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& measurement) {
          const Index k = s;
          Observation seen = problem_.observations[s];
          if (map_.moves_recording_frame(k)) seen.recording_frame = map_.recording_frame(theta, k);
          Pieces& mine = pieces_[s];
          diff::RolloutStatus status;
          mine.from_recording = states_from_recording(scenario, seen, measurement,
                                                      diff::even_segments(scenario.steps, segments_), status);
          mine.free = diff::free_coordinates(scenario.model);
          mine.length_unit = seen.sigma.mean();
          mine.speed_unit = mine.length_unit * segments_ / (scenario.steps * scenario.time_step);
          return as_evaluation(scenario, status);
        });
    Index unknown = map_.size(), row = trajectories_.rows();
    for (Pieces& pieces : pieces_) {
      pieces.first_unknown = unknown;
      pieces.first_gap_row = row;
      unknown += pieces.unknowns();
      row += pieces.unknowns();
    }
    parameters_ = unknown;
    rows_ = row + priors_.rows();
    return evaluation;
  }

  const ParameterMap& map() const { return map_; }
  Index parameters() const override { return parameters_; }
  Index rows() const override { return rows_; }
  void set_gap_weight(double weight) { gap_weight_ = weight; }

  Evaluation evaluate(const Vector& x, Vector& r, Eigen::MatrixXd* jacobian) const override {
    ++(jacobian ? counts_.tangent : counts_.forward);
    const Vector theta = x.head(map_.size());
    r.setZero(rows());
    if (jacobian) jacobian->setZero(rows(), parameters());
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

  /// The cost without that of the gaps.
  double cost(const Vector& r) const {
    return (r.head(trajectories_.rows()).squaredNorm() + r.tail(priors_.rows()).squaredNorm()) / 2;
  }

 private:
  /// A recording at θ.
  struct Recording {
    std::size_t number;
    const diff::Scenario& scenario;
    const MeasurementModel& measurement;
    const Vector& theta;
  };

  Evaluation evaluate_recording(const Recording& recording, const Vector& x, Vector& r,
                                Eigen::MatrixXd* jacobian) const {
    const Pieces& pieces = pieces_[recording.number];
    const diff::Segments segments = segments_at(pieces, x);
    diff::GapTangents between;
    const Evaluation evaluation = jacobian ? run_with_tangents(recording, segments, between, r, *jacobian)
                                           : run_alone(recording, segments, between.gaps, r);
    if (!evaluation.ok()) return evaluation;
    for (std::size_t k = 0; k < between.gaps.size(); ++k) {
      auto mine = r.segment(pieces.first_gap_row + static_cast<Index>(k) * 2 * pieces.half(), 2 * pieces.half());
      mine << gap_weight_ / pieces.length_unit * sim::flat(between.gaps[k].x)(pieces.free),
          gap_weight_ / pieces.speed_unit * sim::flat(between.gaps[k].v)(pieces.free);
    }
    return {};
  }

  /// The pieces with their unknown changes.
  static diff::Segments segments_at(const Pieces& pieces, const Vector& x) {
    const Index half = pieces.half(), own = 2 * half;
    diff::Segments segments = pieces.from_recording;
    for (std::size_t k = 0; k < segments.states.size(); ++k) {
      const auto change = x.segment(pieces.first_unknown + static_cast<Index>(k) * own, own);
      sim::flat(segments.states[k].x)(pieces.free) += pieces.length_unit * change.head(half);
      sim::flat(segments.states[k].v)(pieces.free) += pieces.speed_unit * change.tail(half);
    }
    return segments;
  }

  Evaluation run_alone(const Recording& recording, const diff::Segments& segments, std::vector<sim::State>& gaps,
                       Vector& r) const {
    Readings readings(recording.measurement);
    const diff::RolloutStatus status = diff::run_segments(
        recording.scenario, segments, [&](Index n, const sim::State& state) { readings.add_state(n, state); }, gaps);
    if (!status.ok()) return as_evaluation(recording.scenario, status);
    auto mine = r.segment(trajectories_.first_row(recording.number), recording.measurement.rows());
    return as_evaluation(recording.scenario, readings.residual(recording.scenario.model, mine));
  }

  Evaluation run_with_tangents(const Recording& recording, const diff::Segments& segments, diff::GapTangents& between,
                               Vector& r, Eigen::MatrixXd& jacobian) const {
    const Pieces& pieces = pieces_[recording.number];
    const Index number = static_cast<Index>(recording.number);
    TangentMeasurements readings(map_, recording.theta, number, recording.measurement, pieces.unknowns());
    const diff::RolloutStatus status = diff::run_segments_tangent(
        recording.scenario, segments, map_.directions(recording.theta, number),
        [&](Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
          readings.add(n, state, dx, dv);
        },
        between);
    if (const Evaluation begun = as_evaluation(recording.scenario, status, recording.measurement); !begun.ok())
      return begun;
    const std::string unread =
        readings.write(recording.scenario.model, {trajectories_.first_row(number), pieces.first_unknown}, r, jacobian);
    if (!unread.empty()) return as_evaluation(recording.scenario, unread);
    write_gap_rows(pieces, between.tangents, map_.active(number), jacobian);
    return {};
  }

  void write_gap_rows(const Pieces& pieces, const std::vector<diff::StateTangents>& tangents,
                      const std::vector<Index>& active, Eigen::MatrixXd& jacobian) const {
    const Index P = active.size();
    const Index own = 2 * pieces.half();
    for (std::size_t k = 0; k < tangents.size(); ++k) {
      Eigen::MatrixXd rows(own, P + pieces.unknowns());
      rows << tangents[k].dx(pieces.free, Eigen::all), tangents[k].dv(pieces.free, Eigen::all);
      rows = gap_weight_ * pieces.units().cwiseInverse().asDiagonal() * rows;
      auto below = jacobian.middleRows(pieces.first_gap_row + static_cast<Index>(k) * own, own);
      for (Index c = 0; c < P; ++c) below.col(active[c]) = rows.col(c);
      below.middleCols(pieces.first_unknown, pieces.unknowns()) = rows.rightCols(pieces.unknowns());
    }
    const Vector units = pieces.units().replicate(tangents.size(), 1);
    jacobian.middleCols(pieces.first_unknown, pieces.unknowns()) *= units.asDiagonal();
  }

  const FitProblem& problem_;
  Index segments_;
  TrajectoryResidual trajectories_;
  const ParameterMap& map_;
  PriorResidual priors_;
  EvaluationCounts& counts_;
  std::vector<Pieces> pieces_;
  Index parameters_ = 0, rows_ = 0;
  double gap_weight_ = 1;
};

}  // namespace

void check_shooting(const FitProblem& problem, Index segments) {
  if (segments < 2)
    throw InvalidArgument({"", "segments", "must be >= 2", std::to_string(segments), "omit it for one segment"});
  for (std::size_t s = 0; s < problem.observations.size(); ++s)
    if (const MeasurementKind& kind = kind_of(problem.observations[s]); &kind != &point_kind())
      throw InvalidArgument({"", "segments",
                             "requires positions of points, from which the states of the segments begin",
                             "recording '" + problem.scenarios[s].name + "' of measurement " + kind.name,
                             "write stages with a growing horizon instead: fit.stages: [{horizon: …}]"});
  Index unknowns = make_parameter_map(problem).size();
  for (const diff::Scenario& scenario : problem.scenarios) {
    const Index free = diff::free_coordinates(scenario.model).size();
    const auto states = checked_product(std::array{Index{2}, segments - 1, free}, largest_shooting);
    unknowns += states.value_or(largest_shooting + 1);
  }
  if (unknowns > largest_shooting)
    throw InvalidArgument({"", "segments",
                           "must leave at most " + std::to_string(largest_shooting) + " parameters and initial states",
                           std::to_string(segments) + " pieces", "use fewer segments, or a growing horizon"});
}

MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts) {
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
  MinimizerOptions options = problem.minimizer;
  options.function_tolerance = std::max(options.function_tolerance, loose_tolerance);
  if (options.on_iteration)
    options.on_iteration = [&](const IterationReport& iteration) {
      IterationReport values = iteration;
      values.theta = iteration.theta.head(map.size());
      problem.minimizer.on_iteration(values);
    };
  for (const double weight : gap_weights) {
    residual.set_gap_weight(weight);
    Bounds bounds{Vector(residual.parameters()), Vector(residual.parameters())};
    bounds.lower << (x.head(map.size()).array() - reach).matrix().cwiseMax(map.lower()), -nowhere;
    bounds.upper << (x.head(map.size()).array() + reach).matrix().cwiseMin(map.upper()), nowhere;
    const MinimizerReport found = levenberg_marquardt(residual, x, bounds, options);
    x = found.theta;
    report.status = found.status;
    report.message = found.message;
    report.failed_evaluations += found.failed_evaluations;
    for (std::size_t k = 0; k < found.cost_history.size(); ++k)  // of its many values no way is kept: only the end
      report.add_iteration(found.cost_history[k], (found.path.empty() ? x : found.path[k]).head(map.size()));
    if (found.status == MinimizerStatus::Failed || found.status == MinimizerStatus::Stopped) break;
  }
  report.theta = x.head(map.size());
  Vector r;
  if (residual.evaluate(x, r, nullptr).ok()) report.cost = residual.cost(r);
  return report;
}

}  // namespace pithball::optim
