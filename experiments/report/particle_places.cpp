#include "experiments/report/particle_places.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace pithball::experiments {
namespace {

/// Who has which place, state by state.
std::vector<std::vector<Index>> assign(const std::vector<sim::Roster>& rosters) {
  std::vector<std::vector<Index>> occupant;
  std::unordered_map<std::int64_t, std::size_t> place;  // of each particle of the last state
  std::set<std::size_t> free;                           // nobody had them in the last state
  std::size_t count = 0;
  for (const sim::Roster& roster : rosters) {
    std::unordered_map<std::int64_t, std::size_t> now;
    std::vector<Index> row(count, -1);
    for (std::size_t p = 0; p < roster.size(); ++p) {
      const auto before = place.find(roster.id[p]);
      std::size_t at = count;
      if (before != place.end())
        at = before->second;
      else if (!free.empty())
        at = free.extract(free.begin()).value();
      if (at == count) {
        ++count;
        row.push_back(-1);
      }
      row[at] = static_cast<Index>(p);
      now.emplace(roster.id[p], at);
    }
    free.clear();
    for (std::size_t at = 0; at < row.size(); ++at)
      if (row[at] < 0) free.insert(at);
    place = std::move(now);
    occupant.push_back(std::move(row));
  }
  for (auto& row : occupant) row.resize(count, -1);
  return occupant;
}

}  // namespace

ParticlePlaces particle_places(const sim::Trajectory& trajectory) {
  ParticlePlaces places{.states = {}, .occupant = assign(trajectory.rosters)};
  const auto count = static_cast<Index>(places.count());
  for (std::size_t k = 0; k < trajectory.states.size(); ++k) {
    const sim::State& from = trajectory.states[k];
    // What stands still packs best: the last position there, or for a place not used yet the origin until it is.
    sim::State state{from.t, k > 0 ? places.states.back().x : sim::Points::Zero(3, count), sim::Points::Zero(3, count)};
    for (Index at = 0; at < count; ++at)
      if (const Index p = places.occupant[k][static_cast<std::size_t>(at)]; p >= 0) {
        state.x.col(at) = from.x.col(p);
        state.v.col(at) = from.v.col(p);
      }
    places.states.push_back(std::move(state));
  }
  // The origin may lie far away: a place is first where its first particle will be.
  for (Index at = 0; at < count; ++at) {
    std::size_t first = 0;
    while (places.occupant[first][static_cast<std::size_t>(at)] < 0) ++first;
    for (std::size_t k = 0; k < first; ++k) places.states[k].x.col(at) = places.states[first].x.col(at);
  }
  return places;
}

}  // namespace pithball::experiments
