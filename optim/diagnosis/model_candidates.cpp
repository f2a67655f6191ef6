#include "optim/diagnosis/model_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include "optim/fit/half_step.hpp"
#include "optim/fit/problem.hpp"
#include "optim/observation/readings.hpp"
#include "sim/core/dividing_step.hpp"
#include "sim/neighbors/neighbor_registry.hpp"

namespace pithball::optim {
namespace {

/// In median spring lengths: the length of two springs in a row, and a margin for a stretched net.
constexpr double near_lengths = 2.1;

bool have_same_springs(const diff::Scenario& a, const diff::Scenario& b) {
  return a.model.particles() == b.model.particles() &&
         std::ranges::equal(a.model.springs(), b.model.springs(),
                            [](const sim::Spring& s, const sim::Spring& t) { return s.i == t.i && s.j == t.j; });
}

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  return *middle;
}

/// A body at its start or at rest, and the pairs of its particles.
class Pairs {
 public:
  explicit Pairs(const diff::Scenario& scenario)
      : model_(scenario.model), x_(scenario.rest_near ? *scenario.rest_near : scenario.initial.x) {
    for (const auto& [i, j] : model_.springs()) joined_.insert(std::minmax(i, j));
  }

  double length(const sim::Spring& pair) const { return (x_.col(pair.i) - x_.col(pair.j)).norm(); }

  /// Whether there is no spring between them yet, and one would have an effect.
  bool is_open(Index i, Index j) const {
    return !joined_.contains({i, j}) && !(model_.is_held(i) && model_.is_held(j)) && x_.col(i) != x_.col(j);
  }

  /// Returns all open pairs, or none if there are more than `many`.
  std::vector<sim::Spring> all(Index many) const {
    std::vector<sim::Spring> open;
    for (Index i = 0; i < model_.particles(); ++i)
      for (Index j = i + 1; j < model_.particles(); ++j) {
        if (is_open(i, j)) open.push_back({i, j});
        if (static_cast<Index>(open.size()) > many) return {};
      }
    return open;
  }

  /// Returns the open pairs closer than `cutoff`.
  std::vector<sim::Spring> within(double cutoff) const {
    std::vector<sim::Spring> open;
    const auto list = sim::AutoSearch().find(x_, cutoff);
    for (Index i = 0; i < list->points(); ++i)
      for (const auto j : list->row(i))
        if (is_open(i, j)) open.push_back({i, static_cast<Index>(j)});
    return open;
  }

 private:
  const sim::Model& model_;
  const Points& x_;
  std::set<std::pair<Index, Index>> joined_;
};

}  // namespace

MissingSprings find_missing_springs(const std::vector<diff::Scenario>& scenarios, Index many) {
  const diff::Scenario& first = scenarios.front();
  const sim::Values& values = first.model.values();
  MissingSprings found;
  for (const char* strength : {"stiffness", "axial_stiffness"})
    if (values.find(strength)) found.value = strength;
  found.first = static_cast<Index>(first.model.springs().size());
  if (found.value.empty() || found.first == 0) return found;
  if (!std::ranges::all_of(scenarios, [&](const auto& other) { return have_same_springs(first, other); })) return found;
  const Pairs pairs(first);
  std::vector<double> lengths, shares;
  const auto rest_length = values[*values.find("rest_length")];
  for (Index e = 0; e < found.first; ++e) {
    const double length = pairs.length(first.model.springs()[e]);
    if (!(length > 0)) continue;  // a spring of zero length has no ratio
    lengths.push_back(length);
    shares.push_back(rest_length[e] / length);
  }
  if (lengths.empty()) return found;
  std::vector<sim::Spring> open = pairs.all(many);
  if (open.empty()) open = pairs.within(near_lengths * median(lengths));
  const double share = median(shares);
  for (const sim::Spring& pair : open) found.springs.push_back({pair, share * pairs.length(pair)});
  return found;
}

std::vector<diff::Scenario> MissingSprings::added_to(std::vector<diff::Scenario> scenarios) const {
  if (springs.empty()) return scenarios;
  std::vector<sim::Spring> pairs;
  Vector rest_length(count());
  for (Index k = 0; const MissingSpring& spring : springs) {
    rest_length[k++] = spring.rest_length;
    pairs.push_back(spring.ends);
  }
  for (diff::Scenario& scenario : scenarios) scenario.model = scenario.model.with_springs(pairs, rest_length);
  return scenarios;
}

void MissingSprings::declare(std::vector<Parameter>& elements) const {
  if (springs.empty()) return;
  const auto numbers = [](Index from, Index count) {
    std::vector<Index> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), from);
    return all;
  };
  for (Parameter& parameter : elements)
    if (parameter.value == value || parameter.value == "rest_length") parameter.entries.selected = numbers(0, first);
  Parameter& own = elements.emplace_back();
  own.value = value;
  own.entries.sharing = EntrySharing::None;
  own.entries.selected = numbers(first, count());
  own.range.transform = Transform::Kind::Identity;
}

void MissingSprings::name(std::vector<Candidate>& candidates) const {
  for (std::size_t k = 0; k < springs.size(); ++k) {
    Candidate& candidate = candidates[candidates.size() - springs.size() + k];
    const sim::Spring& ends = springs[k].ends;
    candidate.name = "spring between " + std::to_string(ends.i) + " and " + std::to_string(ends.j);
    candidate.item = -1;
    candidate.missing = springs[k];
  }
}

namespace {

/// Step of the central differences, as a fraction of the distance to the other particle: readings are linear in an
/// attachment, or nearly so (for a camera).
constexpr double small_part = 1e-3;

/// Finds the particles that springs connect to each particle.
std::vector<std::set<Index>> find_neighbors(const sim::Model& model) {
  std::vector<std::set<Index>> neighbors(static_cast<std::size_t>(model.particles()));
  for (const sim::Spring& spring : model.springs()) {
    neighbors[spring.i].insert(spring.j);
    neighbors[spring.j].insert(spring.i);
  }
  return neighbors;
}

/// Finds particles to which a marker could be attached instead: neighbors of its particles or, if it has several, one
/// of these.
std::vector<Index> find_places(const Marker& marker, const std::vector<std::set<Index>>& neighbors) {
  std::set<Index> places;
  for (const auto& [vertex, weight] : marker.vertices) {
    const std::set<Index>& next = neighbors[vertex];
    places.insert(next.begin(), next.end());
    if (marker.vertices.size() > 1) places.insert(vertex);
  }
  if (marker.vertices.size() == 1) places.erase(marker.vertices.front().first);
  return {places.begin(), places.end()};
}

Marker moved(const Marker& marker, Index place, double part) {
  Marker shifted{marker.name, {}};
  for (const auto& [vertex, weight] : marker.vertices) shifted.vertices.emplace_back(vertex, (1 - part) * weight);
  shifted.vertices.emplace_back(place, part);
  return shifted;
}

/// Position of a recording's rows in the residual.
struct Place {
  Index first_row = 0, rows = 0;  ///< its first row, and the number of rows of all recordings
};

/// The shifted readings of one recording: the k-th alternatives of all its markers are tried at once, since each row
/// depends on one marker only.
class ShiftedReadings {
 public:
  ShiftedReadings(const Observation& observation, const diff::Scenario& scenario, const MeasurementModel& seen,
                  const std::vector<std::vector<Index>>& places)
      : seen_(seen), places_(places) {
    std::size_t most = 0;
    for (const std::vector<Index>& one : places) most = std::max(most, one.size());
    for (std::size_t slot = 0; slot < most; ++slot)
      for (const double part : {small_part, -small_part}) {
        Observation other = observation;
        for (std::size_t m = 0; m < places.size(); ++m)
          if (slot < places[m].size()) other.markers[m] = moved(observation.markers[m], places[m][slot], part);
        models_.push_back(std::make_unique<MeasurementModel>(
            MeasurementModel(other, scenario, Part::Fit).seen_from(seen.viewpoint().frame)));
        readings_.emplace_back(*models_.back());
      }
  }

  void add_state(Index n, const sim::State& state) {
    for (Readings& one : readings_) one.add_state(n, state);
  }

  /// Appends the candidates and columns of this recording; returns a failure, if any.
  std::string write(const diff::Scenario& scenario, Place place, MarkerShifts& found) const {
    Vector forward(seen_.rows()), back(seen_.rows());
    for (std::size_t slot = 0; 2 * slot < readings_.size(); ++slot) {
      for (const auto& [of, r] : {std::pair{2 * slot, &forward}, std::pair{2 * slot + 1, &back}})
        if (std::string failure = readings_[of].residual(scenario.model, *r); !failure.empty()) return failure;
      const Vector all = (forward - back) / (2 * small_part);
      for (std::size_t m = 0; m < places_.size(); ++m)
        if (slot < places_[m].size()) write_one(all, {static_cast<Index>(m), places_[m][slot]}, scenario, place, found);
    }
    return {};
  }

 private:
  /// A marker, and the particle toward which it is moved.
  struct Move {
    Index marker = 0, toward = 0;
  };

  void write_one(const Vector& all, Move move, const diff::Scenario& scenario, Place place, MarkerShifts& found) const {
    Eigen::SparseVector<double> column(place.rows);
    for (const MeasurementModel::Sample& sample : seen_.samples())
      for (Index row = sample.first_row; sample.marker == move.marker && row < sample.first_row + sample.row_count;
           ++row)
        if (all[row] != 0) column.insert(place.first_row + row) = all[row];
    if (column.nonZeros() == 0) return;
    Candidate& candidate = found.candidates.emplace_back();
    candidate.name = "marker " + seen_.marker_name(move.marker) +
                     (place.rows > seen_.rows() ? " of recording '" + scenario.name + "'" : "") + " toward particle " +
                     std::to_string(move.toward);
    candidate.value = "attachment";
    candidate.recording = scenario.name;
    candidate.owner = sim::ValueOwner::Particle;
    candidate.item = move.toward;
    candidate.held = Vector::Zero(1);
    candidate.one_sided = true;
    found.columns.push_back(std::move(column));
  }

  const MeasurementModel& seen_;
  const std::vector<std::vector<Index>>& places_;
  std::vector<std::unique_ptr<MeasurementModel>> models_;
  std::vector<Readings> readings_;
};

}  // namespace

MarkerShifts find_marker_shifts(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                                const Vector& theta) {
  MarkerShifts found;
  std::vector<MarkerShifts> by_recording(observations.size());
  found.evaluation = residual.for_each_recording(
      theta, [&](std::size_t s, const diff::Scenario& scenario, const MeasurementModel& seen) {
        const std::vector<std::set<Index>> neighbors = find_neighbors(scenario.model);
        std::vector<std::vector<Index>> places;
        for (const Marker& marker : observations[s].markers)
          places.push_back(observations[s].reference.kind == Reference::Kind::Given ? std::vector<Index>()
                                                                                    : find_places(marker, neighbors));
        ShiftedReadings readings(observations[s], scenario, seen, places);
        const diff::RolloutStatus status =
            diff::run_forward(scenario, [&](Index n, const sim::State& state) { readings.add_state(n, state); });
        Evaluation evaluation = as_evaluation(scenario, status);
        if (evaluation.ok())
          evaluation.failure = readings.write(scenario, {residual.first_row(s), residual.rows()}, by_recording[s]);
        return evaluation;
      });
  if (!found.evaluation.ok()) return found;
  for (MarkerShifts& one : by_recording) {
    std::ranges::move(one.candidates, std::back_inserter(found.candidates));
    std::ranges::move(one.columns, std::back_inserter(found.columns));
  }
  return found;
}

namespace {

/// Computes the residuals at θ, changed by a multiple of the error of the time step.
Evaluation run_at_step(const ResolvedFit& fit, const Vector& theta, const Vector& change, Vector& r) {
  const Evaluation evaluation = fit.residual().trajectories().evaluate(theta, r, nullptr);
  if (evaluation.ok()) r += change;
  return evaluation;
}

}  // namespace

std::optional<CandidateEffect> find_step_error(const ResolvedFit& fit, const FittedEnd& end) {
  const FitProblem fine = with_halved_step(fit.problem());
  Vector r, at_half;
  if (!fit.residual().trajectories().evaluate(end.theta, r, nullptr).ok()) return {};
  if (!TrajectoryResidual(fit.map_of(fine), fine.observations).evaluate(end.theta, at_half, nullptr).ok()) return {};
  const double step = end.scenarios.front().time_step;
  const Vector column = extrapolation_from_half_step(fit.problem()) * (r - at_half) / step;
  if (column.isZero(0) || !column.allFinite()) return {};
  CandidateEffect effect;
  effect.candidate.name = effect.candidate.value = "time_step";
  effect.candidate.unit = "s";
  effect.candidate.held = Vector::Constant(1, step);
  effect.candidate.concern = Concern::Computation;
  effect.G = column.sparseView();
  effect.run = [&fit, column](const Vector& theta, const Vector& beta, Vector& run) {
    return run_at_step(fit, theta, column * beta[0], run);
  };
  return effect;
}

bool agrees_with_step(const Candidate& candidate, const ScoreTest& test) {
  if (test.shift.size() == 0) return false;
  const double step = candidate.held[0];
  constexpr double standard_errors = 3;
  return std::abs(test.shift[0] + step) <= std::max(step / 2, standard_errors * test.error[0]);
}

double sufficient_step(const ScoreTest& test, const diff::Scenario& scenario) {
  const int order = std::max(1, scenario.integrator.info().position_order);
  const double parts = std::pow(test.gain / test.unit, 0.5 / order);  // χ² grows as h to the power 2p
  return sim::dividing_step(scenario.time_step, scenario.time_step / std::max(2.0, parts));
}

}  // namespace pithball::optim
