#include "app/report/motion_frames.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/report/packed.hpp"

namespace pithball::app {
namespace {

using sim::State;

std::vector<DrawableState> every(const std::vector<DrawableState>& usable, std::size_t stride) {
  std::vector<DrawableState> some;
  for (std::size_t k = 0; k < usable.size(); k += stride) some.push_back(usable[k]);
  if (some.back().number != usable.back().number) some.push_back(usable.back());
  return some;
}

/// Speeds of the columns.
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

/// The finest quanta of positions and of speeds that reach from the lowest to the highest of all these states.
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

/// Packs these states; how many characters that takes is all that is known if it is more than `most`.
std::size_t pack_some(const DrawnStates& states, const std::vector<DrawableState>& some, std::size_t most,
                      MotionFrames& frames) {
  const auto [place, pace] = quanta_of(some);
  // A motion with constant acceleration has second differences that vanish.
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

}  // namespace pithball::app
