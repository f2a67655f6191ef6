#pragma once
// Motions with one touch whose derivatives are known: from a closed form, or from a run that ends its steps where the
// touch begins and ends and shares no code with the integrators.
#include <cmath>
#include <numbers>

#include "diff/rollout/rollout.hpp"
#include "sim/force/contact_penalty.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

namespace pithball::tests {

using sim::Index;
using sim::IntegratorChoice;
using sim::Model;
using sim::Obstacle;
using sim::ObstaclePenalty;
using sim::Points;
using sim::State;
using sim::Vec3;
using sim::Vector;

inline constexpr double earth_gravity = 9.81;

/// A case: what touches what, with which forces, and the exact derivatives of the last position of the last particle,
/// along `seen`, by the first one's start.
struct TouchCase {
  std::string name, force;
  std::function<Model(double smoothing)> model;
  State start;
  double duration, contact;  // time in contact: a tenth of it is the documented step [s]
  Vec3 seen;                 // what is looked at
  Vec3 by_position, by_velocity;
};

/// A particle at an obstacle of stiffness k: s(x) and ∇s, dampers c along ∇s and ct across, under gravity.
struct OneTouch {
  double m, k, c, ct;
  std::function<double(const Vec3&, Vec3&)> distance;

  Vec3 acceleration(const Vec3& x, const Vec3& v, bool touching) const {
    Vec3 n, a(0, 0, -earth_gravity);
    const double s = distance(x, n);
    if (touching) a += (-k * s * n - c * n.dot(v) * n - ct * (v - n.dot(v) * n)) / m;
    return a;
  }
  void step(Vec3& x, Vec3& v, double h, bool touching) const {  // the classical method of fourth order
    const Vec3 a1 = acceleration(x, v, touching), v2 = v + h / 2 * a1;
    const Vec3 a2 = acceleration(x + h / 2 * v, v2, touching), v3 = v + h / 2 * a2;
    const Vec3 a3 = acceleration(x + h / 2 * v2, v3, touching), v4 = v + h * a3;
    const Vec3 a4 = acceleration(x + h * v3, v4, touching);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  /// Where it is after a time, in steps that end where s = 0.
  Vec3 after(Vec3 x, Vec3 v, double time, double h) const {
    Vec3 n;
    bool touching = distance(x, n) < 0;
    while (time > 0) {
      double length = std::min(h, time);
      Vec3 y = x, w = v;
      step(y, w, length, touching);
      if ((distance(y, n) < 0) != touching && length > 1e-15) {
        double low = 0, high = length;
        for (int half = 0; half < 60; ++half) {
          const double middle = (low + high) / 2;
          y = x, w = v;
          step(y, w, middle, touching);
          ((distance(y, n) < 0) != touching ? high : low) = middle;
        }
        length = high;
        y = x, w = v;
        step(y, w, length, touching);
        touching = !touching;
      }
      x = y, v = w;
      time -= length;
    }
    return x;
  }
};

/// A drop on an obstacle; its derivatives are differences of exact runs.
inline TouchCase drop_on(const std::string& name, std::shared_ptr<const Obstacle> shape, const OneTouch& touch,
                         const Vec3& x, const Vec3& v, const Vec3& seen) {
  TouchCase made{
      .name = name,
      .force = shape->walls() == 1 && name.find("sphere") != std::string::npos ? "sphere_penalty" : "plane_penalty",
      .model = {},
      .start = {0, Points(x), Points(v)},
      .duration = 0.8,
      .contact = std::numbers::pi * std::sqrt(touch.m / touch.k),
      .seen = seen,
      .by_position = Vec3::Zero(),
      .by_velocity = Vec3::Zero()};
  made.model = [force = made.force, shape, touch](double smoothing) {
    const auto wall = std::make_shared<ObstaclePenalty>(force, shape, all(1, 0), touch.k, smoothing);
    Terms terms{std::make_shared<sim::Gravity>(Vec3(0, 0, -earth_gravity)), wall};
    if (touch.c > 0 || touch.ct > 0)
      terms.push_back(std::make_shared<sim::ObstacleDamper>(force.substr(0, force.find('_')), wall, touch.c, touch.ct));
    return Model({.particles = 1, .springs = {}, .held = {}}, all(1, touch.m), all(1, 0), terms);
  };
  const double e = 1e-5, h = made.contact / 400;
  for (int a = 0; a < 3; ++a) {
    const Vec3 d = e * Vec3::Unit(a);
    made.by_position[a] =
        seen.dot(touch.after(x + d, v, made.duration, h) - touch.after(x - d, v, made.duration, h)) / (2 * e);
    made.by_velocity[a] =
        seen.dot(touch.after(x, v + d, made.duration, h) - touch.after(x, v - d, made.duration, h)) / (2 * e);
  }
  return made;
}

inline TouchCase bounce_on_plane(double k, double c = 0, double ct = 0, const Vec3& v = Vec3::Zero()) {
  const OneTouch touch{0.1, k, c, ct, [](const Vec3& x, Vec3& n) {
                         n = Vec3::UnitZ();
                         return x[2];
                       }};
  return drop_on(c > 0 ? "sliding" : "plane",
                 std::make_shared<sim::PlaneObstacle>("floor", Vec3::Zero(), Vec3(0, 0, 1)), touch, Vec3(0, 0, 1), v,
                 c > 0 ? Vec3(0.6, 0, 0.8) : Vec3(0, 0, 1));
}

/// Beside its top, so that it leaves to the side.
inline TouchCase bounce_on_sphere(double k) {
  const Vec3 center(0, 0, -0.5);
  const OneTouch touch{0.1, k, 0, 0, [center](const Vec3& x, Vec3& n) {
                         n = (x - center).normalized();
                         return (x - center).norm() - 0.5;
                       }};
  return drop_on("sphere", std::make_shared<sim::SphereObstacle>("ball", center, 0.5, sim::Side::Outside), touch,
                 Vec3(0.05, 0.02, 1), Vec3::Zero(), Vec3(0.6, 0, 0.8));
}

/// A ball meets another at rest: x₂ = x₂(0) + v T − gap − v τ/2 with τ = π √(m/2k).
inline TouchCase two_balls(double k) {
  const double m = 0.1, a = 0.1, gap = 0.3, v = 1, T = 0.8, tau = std::numbers::pi * std::sqrt(m / (2 * k));
  TouchCase made{.name = "two balls",
                 .force = "contact_penalty",
                 .model = {},
                 .start = {0, columns({{0, 0, 0}, {2 * a + gap, 0, 0}}), columns({{v, 0, 0}, {0, 0, 0}})},
                 .duration = T,
                 .contact = tau,
                 .seen = Vec3(1, 0, 0),
                 .by_position = Vec3(1, 0, 0),
                 .by_velocity = Vec3(T - tau / 2, 0, 0)};
  made.model = [=](double smoothing) {
    return Model(
        {.particles = 2, .springs = {}, .held = {}}, all(2, m), all(2, 0),
        {std::make_shared<sim::ContactPenalty>(all(2, a), k, sim::make_neighbor_search("brute_force", 0), smoothing)});
  };
  return made;
}

/// In steps of a part of the contact, or substeps of an embedded pair.
inline diff::Scenario in_steps(const TouchCase& c, const IntegratorChoice& choice, double parts, double smoothing) {
  const Index steps = choice.info().adaptive ? 16 : std::lround(c.duration / (c.contact / parts));
  return {.name = "",
          .model = c.model(smoothing),
          .initial = c.start,
          .integrator = choice,
          .time_step = c.duration / steps,
          .steps = steps,
          .stage = {.tolerance = 1e-13}};
}

/// Largest error of the derivatives by height and by speed that count, relative to the largest of each kind.
inline double derivative_error(const TouchCase& c, const diff::Scenario& s) {
  diff::AdjointRollout rollout(s);
  REQUIRE(rollout.forward([](Index, const State&) {}).ok());
  const Vector found = rollout.backward([&](Index n, const State&, Points& gx, Points&) {
    if (n == s.steps) gx.col(gx.cols() - 1) += c.seen;
  });
  const Vec3 dx = found.segment<3>(s.position_offset()), dv = found.segment<3>(s.velocity_offset());
  return std::max((dx - c.by_position).norm() / c.by_position.norm(),
                  (dv - c.by_velocity).norm() / c.by_velocity.norm());
}

inline std::vector<TouchCase> touch_cases() {
  return {bounce_on_plane(500),  bounce_on_plane(5e4), bounce_on_plane(5e4, 2, 1.5, Vec3(1, 0, 0)),
          bounce_on_sphere(5e4), two_balls(5e4),       two_balls(1e8)};
}

}  // namespace pithball::tests
