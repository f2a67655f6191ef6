#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "optim/measurement/kinds/acceleration.hpp"
#include "optim/measurement/kinds/angle.hpp"
#include "optim/measurement/kinds/camera.hpp"
#include "optim/measurement/kinds/distance.hpp"
#include "optim/measurement/kinds/force.hpp"
#include "optim/measurement/kinds/velocity.hpp"
#include "optim/observation/observation.hpp"

/// Recordings for the tests of screening: motions by closed formulas, each measurement kind, and what may be wrong.
namespace pithball::test {

using optim::Observation;
using sim::Index;
using sim::Points;
using sim::Vec3;

enum class MotionKind { Fall, Swing, Modes, Decaying, Bouncing, Driven, Resting };
inline constexpr std::array all_motions{MotionKind::Fall,     MotionKind::Swing,    MotionKind::Modes,
                                        MotionKind::Decaying, MotionKind::Bouncing, MotionKind::Driven,
                                        MotionKind::Resting};

enum class NoiseColor { White, None, Quantized, QuantizedAlone, Autoregressive, StudentT };

/// One recording's conditions.
struct RecordingPlan {
  unsigned seed = 1;
  MotionKind motion = MotionKind::Swing;
  std::string kind = "point";
  NoiseColor noise = NoiseColor::White;
  Index markers = 3, frames = 150;
  bool even = true;
  double persistence = 0.5;  ///< of AR(1)
};

/// A motion in one coordinate, with its derivatives.
struct Place {
  double x = 0, v = 0, a = 0;
};

inline Place sine(double amplitude, double omega, double phase, double t, double decay = 0) {
  const double e = amplitude * std::exp(-decay * t), s = std::sin(omega * t + phase), c = std::cos(omega * t + phase);
  return {e * s, e * (omega * c - decay * s), e * ((decay * decay - omega * omega) * s - 2 * decay * omega * c)};
}

/// A ball that falls from `height` and bounces with this restitution; each bounce is a spike of one frame interval in
/// acceleration.
inline Place bounce(double height, double restitution, double t, double interval) {
  const double g = 9.81;
  double start = -std::sqrt(2 * height / g), speed = -start * g;  // of the flight whose top is at 0
  for (int k = 0; k < 60; ++k) {
    const double end = start + 2 * speed / g;
    if (t < end) {
      const double u = t - start;
      const double spike = k > 0 && u < interval ? speed * (1 + 1 / restitution) / interval : 0;
      return {speed * u - g * u * u / 2, speed - g * u, -g + spike};
    }
    start = end;
    speed *= restitution;
  }
  return {};
}

/// One coordinate of a marker.
inline Place place_of(const RecordingPlan& plan, Index m, int axis, double t, double interval,
                      const std::array<double, 4>& u) {
  const auto k = static_cast<double>(m);
  switch (plan.motion) {
    case MotionKind::Fall:
      return axis == 2 ? Place{0.8 + 0.2 * k - 4.905 * t * t, -9.81 * t, -9.81} : Place{0.3 * k + u[0] * t, u[0], 0};
    case MotionKind::Swing:
      return sine(0.1 + 0.1 * u[0], 4 + 4 * u[1], axis + 6 * u[2], t);
    case MotionKind::Modes: {
      Place sum;
      for (int n = 1; n <= 4; ++n) {
        const Place mode = sine(0.1 / n / n, (4 + 3 * u[1]) * n, 6 * u[2] * n + axis + k, t, 0.05 * n);
        sum = {sum.x + mode.x, sum.v + mode.v, sum.a + mode.a};
      }
      return sum;
    }
    case MotionKind::Decaying:
      return sine(0.3, 6 + 6 * u[1], axis + 6 * u[2], t, 0.3 + 3 * u[3]);
    case MotionKind::Bouncing:
      return axis == 2 ? bounce(0.3 + u[0], 0.6 + 0.3 * u[1], t, interval) : Place{0.2 * k + u[2] * t, u[2], 0};
    case MotionKind::Driven: {
      // A marker that is moved along ramps with rests between them.
      const double period = 1.5 + u[0], phase = std::fmod(t, period) / period, high = 0.1 * (axis + 1);
      if (phase < 0.3) return {0, 0, 0};
      if (phase < 0.5) return {high * (phase - 0.3) / 0.2, high / 0.2 / period, 0};
      if (phase < 0.8) return {high, 0, 0};
      return {high * (1 - phase) / 0.2, -high / 0.2 / period, 0};
    }
    case MotionKind::Resting:
      return {0.1 * axis + 0.3 * k, 0, 0};
  }
  return {};
}

/// Readings of a kind, from the place of a marker in three coordinates; components that the kind has not are NaN.
inline Vec3 reading_of(const std::string& kind, const std::array<Place, 3>& p) {
  if (kind == "point") return {p[0].x, p[1].x, p[2].x};
  if (kind == "velocity") return {p[0].v, p[1].v, p[2].v};
  if (kind == "acceleration" || kind == "force") return {p[0].a, p[1].a, p[2].a + 9.81};
  if (kind == "camera") return {960 + 900 * p[0].x / (4 + p[1].x), 540 - 900 * p[2].x / (4 + p[1].x), NAN};
  if (kind == "angle") return {std::atan2(p[0].x, 2 - p[2].x), NAN, NAN};
  return {std::sqrt(std::pow(p[0].x - 2, 2) + p[1].x * p[1].x + p[2].x * p[2].x), NAN, NAN};
}

inline std::shared_ptr<const optim::Instrument> instrument_of(const std::string& kind) {
  if (kind == "velocity") return optim::make_velocity_instrument();
  if (kind == "acceleration") return optim::make_acceleration_instrument();
  if (kind == "force") return optim::make_force_instrument(1, {{0}});
  if (kind == "distance") return optim::make_distance_instrument({});
  if (kind == "angle") return optim::make_angle_instrument({});
  optim::Camera camera;
  camera.image_size = {{1920, 1080}};
  if (kind == "camera") return optim::make_camera_instrument(camera);
  return nullptr;
}

/// What is recorded, and its noise [unit of the kind].
struct PlannedRecording {
  Observation observation;
  double sigma = 0;
};

inline PlannedRecording record(const RecordingPlan& plan) {
  std::mt19937 random(plan.seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::student_t_distribution<double> student(2.5);
  PlannedRecording made;
  Observation& o = made.observation;
  o.instrument = instrument_of(plan.kind);
  o.noise.sigma = sim::Vector::Constant(plan.markers, NAN);
  // What falls is recorded for half a second.
  const double usual = 30 + 170 * uniform(random);
  const double rate = plan.motion == MotionKind::Fall ? std::max(usual, 2.0 * static_cast<double>(plan.frames)) : usual;
  const double interval = 1 / rate;
  std::vector<std::array<double, 4>> numbers;
  for (Index m = 0; m < plan.markers; ++m) {
    o.markers.push_back({"m" + std::to_string(m), {{m, 1.0}}});
    numbers.push_back({uniform(random), uniform(random), uniform(random), uniform(random)});
  }
  for (Index f = 0; f < plan.frames; ++f)
    o.times.push_back((static_cast<double>(f) + (plan.even ? 0 : 0.5 * uniform(random))) * interval);
  const double unit = plan.kind == "camera"                              ? 300
                      : plan.kind == "velocity"                          ? 5
                      : plan.kind.ends_with("n") || plan.kind == "force" ? 20
                                                                         : 1;
  const bool quantized = plan.noise == NoiseColor::Quantized || plan.noise == NoiseColor::QuantizedAlone;
  const double noise = unit * std::pow(10, -4 + 2 * uniform(random)), step = noise * (0.2 + 2 * uniform(random));
  made.sigma = noise;
  for (Index m = 0; m < plan.markers; ++m) {
    std::array<double, 3> lasting{};
    for (double& value : lasting) value = normal(random);
    for (Index f = 0; f < plan.frames; ++f) {
      std::array<Place, 3> places;
      for (int a = 0; a < 3; ++a)
        places[a] = place_of(plan, m, a, o.times[f], interval, numbers[plan.motion == MotionKind::Driven ? 0 : m]);
      Vec3 reading = reading_of(plan.kind, places);
      for (int a = 0; a < 3; ++a) {
        const double white = normal(random);
        lasting[a] = plan.persistence * lasting[a] + std::sqrt(1 - plan.persistence * plan.persistence) * white;
        if (plan.noise == NoiseColor::White || plan.noise == NoiseColor::Quantized) reading[a] += noise * white;
        if (plan.noise == NoiseColor::Autoregressive) reading[a] += noise * lasting[a];
        if (plan.noise == NoiseColor::StudentT) reading[a] += noise * student(random);
        if (quantized) reading[a] = std::round(reading[a] / step) * step;
      }
      if (m == 0) o.positions.emplace_back(3, plan.markers);
      o.positions[f].col(m) = reading;
    }
  }
  return made;
}

}  // namespace pithball::test
