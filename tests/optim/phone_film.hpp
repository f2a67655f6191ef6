#pragma once
// A swinging body and films of it by phones, by formulas of their own.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "optim/measurement/kinds/camera.hpp"
#include "tests/optim/charged_system.hpp"

namespace pithball::test {

inline constexpr double pixel_noise = 0.5;

/// Four particles, the first pinned.
inline diff::Scenario swinging_body(const std::string& name) {
  BodyOptions options;
  options.gravity = true;
  options.time_step = 0.005;
  options.steps = 120;
  return make_body(name, options);
}

inline std::vector<sim::State> states_of(const diff::Scenario& scenario) {
  std::vector<sim::State> states;
  diff::run_forward(scenario, [&](sim::Index, const sim::State& state) { states.push_back(state); });
  return states;
}

/// The place of a particle between two steps: Hermite's cubic.
inline sim::Vec3 place_at(const std::vector<sim::State>& states, double step_size, double t, sim::Index particle) {
  const auto n = std::min(static_cast<std::size_t>(std::max(t, 0.0) / step_size), states.size() - 2);
  const double s = t / step_size - static_cast<double>(n), r = 1 - s;
  const sim::State &a = states[n], &b = states[n + 1];
  return r * r * (1 + 2 * s) * a.x.col(particle) + s * s * (3 - 2 * s) * b.x.col(particle) +
         step_size * (s * r * r * a.v.col(particle) - s * s * r * b.v.col(particle));
}

/// Where a phone stands, and what is wrong with it.
struct Phone {
  sim::Vec3 eye{0.4, -2, 0.2};  ///< [m]
  bool from_the_side = false;   ///< it looks along −x, not along y
  double k1 = 0,                ///< of its lens
      row_time = 0,             ///< [s]
      clock_offset = 0;         ///< simulated − recorded time [s]
};

/// A frame with x of the image to the right and y down, and a lens of 900 px.
inline optim::RecordingFrame phone_frame(const Phone& phone) {
  optim::RecordingFrame frame;
  // Columns: right, down, ahead; from the side: y, −z, −x, a third of a turn about (−1, −1, 1).
  frame.rotation =
      phone.from_the_side ? sim::Vec3(sim::Vec3(-1, -1, 1).normalized() * 2 * M_PI / 3) : sim::Vec3(-M_PI / 2, 0, 0);
  frame.translation = phone.eye;
  frame.set_own("focal_length", 900);
  frame.set_own("principal_x", 639.5);
  frame.set_own("principal_y", 479.5);
  return frame;
}

/// Pixels with independent noise, at 40 frames a second by the phone's clock.
inline optim::Observation film(const std::vector<sim::State>& states, double step_size, const Phone& phone,
                               unsigned seed) {
  using namespace sim;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  optim::Observation o;
  o.instrument = optim::make_camera_instrument({});
  o.recording_frame = phone_frame(phone);
  const Index count = states.front().x.cols();
  for (Index i = 0; i < count; ++i) o.markers.push_back({std::to_string(i), {{i, 1.0}}});
  o.noise.sigma = Vector::Constant(count, pixel_noise);
  for (int f = 0; f < 23; ++f) {
    o.times.push_back(0.025 * f);
    Points& pixels = o.positions.emplace_back(Points::Constant(3, count, NAN));
    for (Index i = 0; i < count; ++i) {
      Eigen::Vector2d pixel(0, 0);
      for (int k = 0; k < 20; ++k) {  // the row at which the marker is when that row is exposed
        const double t = o.times.back() + phone.clock_offset + phone.row_time * pixel[1];
        const Vec3 off = place_at(states, step_size, t, i) - phone.eye;
        const double right = phone.from_the_side ? off[1] : off[0], ahead = phone.from_the_side ? -off[0] : off[1];
        const Eigen::Vector2d plane(right / ahead, -off[2] / ahead);
        pixel = 900 * (1 + phone.k1 * plane.squaredNorm()) * plane + Eigen::Vector2d(639.5, 479.5);
      }
      pixels(0, i) = pixel[0] + pixel_noise * normal(random);
      pixels(1, i) = pixel[1] + pixel_noise * normal(random);
    }
  }
  return o;
}

}  // namespace pithball::test
