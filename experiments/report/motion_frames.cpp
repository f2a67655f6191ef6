#include "experiments/report/motion_frames.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/report/packed.hpp"

namespace pithball::experiments {
namespace {

using sim::State;

std::vector<std::size_t> every(const std::vector<std::size_t>& usable, std::size_t stride) {
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < usable.size(); k += stride) some.push_back(usable[k]);
  if (some.back() != usable.back()) some.push_back(usable.back());
  return some;
}

void pack_positions(const std::vector<State>& states, MotionFrames& frames) {
  std::vector<double> x;
  for (const std::size_t k : frames.shown)
    x.insert(x.end(), states[k].x.data(), states[k].x.data() + states[k].x.size());
  const Quantisation by = quantisation_of(x, 3, 65536);
  const auto particles = static_cast<std::size_t>(states.front().x.cols());
  // A motion with constant acceleration has second differences that vanish.
  frames.positions = pack_uint16({frames.shown.size(), particles, 3}, x, by, 2);
  frames.position_error = std::sqrt(3.0) / 2 * by.quantum;  // half a quantum along each axis
}

void pack_speed(const std::vector<State>& states, MotionFrames& frames) {
  std::vector<double> speed;
  for (const std::size_t k : frames.shown)
    for (const auto& v : states[k].v.colwise()) speed.push_back(v.norm());
  const auto particles = static_cast<std::size_t>(states.front().v.cols());
  frames.speed = pack_uint8({frames.shown.size(), particles}, speed, quantisation_of(speed, 1, 256), 1);
}

}  // namespace

MotionFrames pack_frames(const std::vector<State>& states, const std::vector<std::size_t>& usable, double size) {
  MotionFrames frames;
  for (std::size_t stride = 1;;) {
    frames.shown = every(usable, stride);
    pack_positions(states, frames);
    pack_speed(states, frames);
    const double excess = static_cast<double>(packed_size(frames.positions) + packed_size(frames.speed)) / (1e6 * size);
    if (excess <= 1 || frames.shown.size() <= 2) return frames;
    stride = std::max(stride + 1, static_cast<std::size_t>(excess * static_cast<double>(stride)));
  }
}

std::vector<std::size_t> usable_states(const std::vector<State>& states, bool diverged) {
  std::vector<std::size_t> usable;
  const sim::Points& start = states.front().x;
  const sim::Vec3 middle = start.rowwise().mean();
  const double body = (start.colwise() - middle).colwise().norm().maxCoeff();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const State& state = states[k];
    if (!state.x.allFinite() || !state.v.allFinite()) continue;
    if (diverged && k > 0 && body > 0 && (state.x.colwise() - middle).colwise().norm().maxCoeff() > 100 * body) break;
    usable.push_back(k);
  }
  return usable;
}

}  // namespace pithball::experiments
