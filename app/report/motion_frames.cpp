#include "app/report/motion_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "app/report/packed.hpp"

namespace pithball::app {
namespace {

/// Assigns particles to slots, state by state.
class PlaceKeeper {
 public:
  /// Returns, for each slot so far, the roster index of the particle that occupies it in the next state, or −1.
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
  std::unordered_map<std::int64_t, std::size_t> place_;  // slot of each particle of the last state, by ID
  std::set<std::size_t> free_;                           // slots that were empty in the last state
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
  // Constant positions pack best: an empty slot keeps the position of its last particle or, before its first use, has
  // that of its first one.
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

namespace {

const std::vector<Index> no_places;

}  // namespace

DrawnStates::DrawnStates(const datasets::H5mdReader& trajectory) : trajectory_(trajectory) {
  if (trajectory.body().attributes) places_.emplace(trajectory);
}

std::size_t DrawnStates::width() const { return places_ ? places_->count() : trajectory_.most_particles(); }

void DrawnStates::visit(const std::function<bool(const Drawn&)>& see) const {
  if (places_) return places_->visit(see);
  datasets::H5mdPages states(trajectory_);
  for (std::size_t k = 0; k < states.size(); ++k)
    if (!see({k, states[k], states[k].state, no_places})) return;
}

void DrawnStates::visit(const std::vector<std::size_t>& numbers, const std::function<void(const Drawn&)>& see) const {
  if (numbers.empty()) return;
  if (!places_) {
    datasets::H5mdPages states(trajectory_, numbers);
    for (std::size_t k = 0; k < states.size(); ++k) see({numbers[k], states[k], states[k].state, no_places});
    return;
  }
  // Visits all states: the position kept for an empty slot depends on the skipped ones.
  auto next = numbers.begin();
  places_->visit([&](const Drawn& drawn) {
    if (drawn.number == *next) {
      see(drawn);
      ++next;
    }
    return next != numbers.end();
  });
}

namespace {

using sim::State;

std::vector<DrawableState> every(const std::vector<DrawableState>& usable, std::size_t stride) {
  std::vector<DrawableState> some;
  for (std::size_t k = 0; k < usable.size(); k += stride) some.push_back(usable[k]);
  if (some.back().number != usable.back().number) some.push_back(usable.back());
  return some;
}

/// Returns the speed of each particle.
std::vector<double> speeds_of(const State& state) {
  std::vector<double> speed;
  for (const auto& v : state.v.colwise()) speed.push_back(v.norm());
  return speed;
}

DrawableState survey(std::size_t number, const State& state) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  DrawableState found{number, sim::Vec3::Constant(infinite), sim::Vec3::Constant(-infinite), infinite, -infinite};
  for (const auto& x : state.x.colwise())
    for (Index a = 0; a < 3; ++a) {
      found.lowest[a] = std::min(found.lowest[a], x[a]);
      found.highest[a] = std::max(found.highest[a], x[a]);
    }
  for (const double speed : speeds_of(state)) {
    found.slowest = std::min(found.slowest, speed);
    found.fastest = std::max(found.fastest, speed);
  }
  return found;
}

/// Returns the finest quantization of positions and of speeds that covers the range of all these states.
std::pair<Quantization, Quantization> quanta_of(const std::vector<DrawableState>& states) {
  DrawableState all = states.front();
  for (const DrawableState& state : states) {
    for (Index a = 0; a < 3; ++a) {
      all.lowest[a] = std::min(all.lowest[a], state.lowest[a]);
      all.highest[a] = std::max(all.highest[a], state.highest[a]);
    }
    all.slowest = std::min(all.slowest, state.slowest);
    all.fastest = std::max(all.fastest, state.fastest);
  }
  return {quantization_between({all.lowest.begin(), all.lowest.end()}, {all.highest.begin(), all.highest.end()}, 65536),
          quantization_between({all.slowest}, {all.fastest}, 256)};
}

/// Packs these states and returns the number of characters; an array of more than `most` is discarded.
std::size_t pack_some(const DrawnStates& states, const std::vector<DrawableState>& some, std::size_t most,
                      MotionFrames& frames) {
  const auto [place, pace] = quanta_of(some);
  // The second differences of a motion with constant acceleration are constant and pack well.
  PackedRows positions(2, place, 2, most), speed(1, pace, 1, most);
  for (std::size_t pass = 0; pass < positions.passes(); ++pass)
    states.visit(frames.shown, [&](const DrawnStates::Drawn& drawn) {
      positions.add(pass, {drawn.state.x.data(), static_cast<std::size_t>(drawn.state.x.size())});
      if (pass < speed.passes()) speed.add(pass, speeds_of(drawn.state));
    });
  frames.positions = positions.finish({frames.shown.size(), states.width(), 3});
  frames.speed = speed.finish({frames.shown.size(), states.width()});
  frames.position_error = std::sqrt(3.0) / 2 * place.quantum;  // half a quantum along each axis
  return positions.size() + speed.size();
}

}  // namespace

MotionFrames pack_frames(const DrawnStates& states, const std::vector<DrawableState>& usable, double size) {
  MotionFrames frames;
  for (std::size_t stride = 1;;) {
    const std::vector<DrawableState> some = every(usable, stride);
    frames.shown.clear();
    for (const DrawableState& state : some) frames.shown.push_back(state.number);
    const bool last = frames.shown.size() <= 2;
    const bool bounded = !last && 1e6 * size < 1e18;
    const std::size_t most = bounded ? static_cast<std::size_t>(1e6 * size) : std::numeric_limits<std::size_t>::max();
    const double excess = pack_some(states, some, most, frames) / (1e6 * size);
    if (excess <= 1 || last) return frames;
    stride = std::max(stride + 1, static_cast<std::size_t>(excess * static_cast<double>(stride)));
  }
}

std::vector<DrawableState> drawable_states(const DrawnStates& states, bool diverged) {
  std::vector<DrawableState> usable;
  sim::Vec3 middle = sim::Vec3::Zero();
  double body = 0;
  states.visit([&](const DrawnStates::Drawn& drawn) {
    const State& state = drawn.state;
    if (drawn.number == 0) {
      middle = state.x.rowwise().mean();
      body = (state.x.colwise() - middle).colwise().norm().maxCoeff();
    }
    if (!state.x.allFinite() || !state.v.allFinite()) return true;
    const bool burst = diverged && drawn.number > 0 && body > 0 &&
                       (state.x.colwise() - middle).colwise().norm().maxCoeff() > 100 * body;
    if (!burst) usable.push_back(survey(drawn.number, state));
    return !burst;
  });
  return usable;
}

using nlohmann::ordered_json;

ordered_json faces_of(const Body& body) {
  std::vector<std::uint32_t> corners;
  for (const std::vector<Index>& face : body.mesh.faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      for (const Index corner : {face[0], face[k - 1], face[k]}) corners.push_back(static_cast<std::uint32_t>(corner));
  if (corners.empty()) return nullptr;
  return pack_uint32({corners.size() / 3, 3}, corners);
}

ordered_json groups_of(const Body& body) {
  ordered_json list = ordered_json::array();
  for (const auto& [name, particles] : body.vertex_groups) {
    if (name == "all") continue;
    const std::vector<std::uint32_t> numbers(particles.begin(), particles.end());
    list.push_back({{"name", name}, {"particles", pack_uint32({numbers.size()}, numbers)}});
  }
  return list;
}

}  // namespace pithball::app
