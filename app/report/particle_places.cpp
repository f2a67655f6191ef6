#include "app/report/particle_places.hpp"

#include <set>
#include <unordered_map>
#include <utility>

namespace pithball::app {
namespace {

/// Who has which place, state by state.
class PlaceKeeper {
 public:
  /// Of each place so far, the number in the roster of who has it in the next state, or −1.
  std::vector<Index> next(const sim::Roster& roster) {
    std::unordered_map<std::int64_t, std::size_t> now;
    std::vector<Index> row(count_, -1);
    for (std::size_t p = 0; p < roster.size(); ++p) {
      const auto before = place_.find(roster.id[p]);
      std::size_t at = count_;
      if (before != place_.end())
        at = before->second;
      else if (!free_.empty())
        at = free_.extract(free_.begin()).value();
      if (at == count_) {
        ++count_;
        row.push_back(-1);
      }
      row[at] = p;
      now.emplace(roster.id[p], at);
    }
    free_.clear();
    for (std::size_t at = 0; at < row.size(); ++at)
      if (row[at] < 0) free_.insert(at);
    place_ = std::move(now);
    return row;
  }

 private:
  std::unordered_map<std::int64_t, std::size_t> place_;  // of each particle of the last state
  std::set<std::size_t> free_;                           // nobody had them in the last state
  std::size_t count_ = 0;
};

}  // namespace

ParticlePlaces::ParticlePlaces(datasets::H5mdReader trajectory) : trajectory_(std::move(trajectory)) {
  datasets::H5mdPages states(trajectory_);
  PlaceKeeper keeper;
  std::vector<sim::Vec3> start;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const datasets::H5mdFrame& own = states[k];
    const std::vector<Index> occupant = keeper.next(*own.roster);
    for (std::size_t at = start.size(); at < occupant.size(); ++at) start.emplace_back(own.state.x.col(occupant[at]));
  }
  start_.resize(3, start.size());
  for (std::size_t at = 0; at < start.size(); ++at) start_.col(at) = start[at];
}

void ParticlePlaces::visit(const std::function<bool(const Placed&)>& see) const {
  datasets::H5mdPages states(trajectory_);
  PlaceKeeper keeper;
  // Constant positions pack best: an empty slot keeps the last position there or, before its first use, the first one.
  sim::State placed{0, start_, start_};
  for (std::size_t k = 0; k < states.size(); ++k) {
    const datasets::H5mdFrame& own = states[k];
    std::vector<Index> occupant = keeper.next(*own.roster);
    occupant.resize(count(), -1);
    placed.t = own.state.t;
    placed.v.setZero();
    for (std::size_t at = 0; at < occupant.size(); ++at)
      if (occupant[at] >= 0) {
        placed.x.col(at) = own.state.x.col(occupant[at]);
        placed.v.col(at) = own.state.v.col(occupant[at]);
      }
    if (!see({k, own, placed, occupant})) return;
  }
}

}  // namespace pithball::app
