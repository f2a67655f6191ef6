#include "app/run/motion_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pithball::app {
namespace {

/// [m/s], exact by definition of the meter.
constexpr double speed_of_light = 299792458;
/// More than the ratio of a galaxy to a grain: what moves so far moves by a wrong number.
constexpr double absurd_growth = 1e20;

double largest(const sim::Points& points) { return std::sqrt(points.colwise().squaredNorm().maxCoeff()); }

}  // namespace

void MotionMeter::add(const sim::State& state) {
  const double distance = largest(state.x), speed = largest(state.v);
  if (start_ < 0) start_ = distance;
  farthest_ = std::max(farthest_, distance);
  if (!(speed > fastest_)) return;
  fastest_ = speed;
  time_ = state.t;
}

std::vector<std::string> MotionMeter::notes() const {
  std::vector<std::string> notes;
  if (fastest_ > speed_of_light)
    notes.push_back(
        fmt::format("at t = {:g} s a particle moves at {:.3g} m/s, {:.3g} times the speed of light, while "
                    "motion here is Newton's: check the units of masses, charges and fields",
                    time_, fastest_, fastest_ / speed_of_light));
  if (start_ > 0 && farthest_ > absurd_growth * start_)
    notes.push_back(
        fmt::format("positions grow from {:.3g} m to {:.3g} m, {:.1g}-fold: check the units, and what "
                    "drives the body apart",
                    start_, farthest_, farthest_ / start_));
  return notes;
}

}  // namespace pithball::app
