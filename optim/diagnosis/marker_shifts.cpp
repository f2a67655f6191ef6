#include "optim/diagnosis/marker_shifts.hpp"
#include "optim/observation/readings.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace pithball::optim {
namespace {

/// Readings are linear in an attachment, or nearly so (a camera's): this part of the way, forward and back.
constexpr double small_part = 1e-3;

/// The particles that springs join to each particle.
std::vector<std::set<Index>> find_neighbors(const sim::Model& model) {
  std::vector<std::set<Index>> neighbors(static_cast<std::size_t>(model.particles()));
  for (const sim::Spring& spring : model.springs()) {
    neighbors[spring.i].insert(spring.j);
    neighbors[spring.j].insert(spring.i);
  }
  return neighbors;
}

/// Where a marker could sit instead: next to the particles that carry it, or on one of several that do.
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

/// Where the rows of a recording stand.
struct Place {
  Index first_row = 0, rows = 0;  ///< its first, and the number of all recordings'
};

/// One recording: the k-th places of all its markers are tried at once, since a row shows one marker.
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

  /// Appends candidates and columns of this recording; `residual`: of all.
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

}  // namespace pithball::optim
