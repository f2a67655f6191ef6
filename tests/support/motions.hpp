#pragma once
// Motions whose solution is known: in closed form, or by a fine fourth-order run that shares no code with the
// integrators.
#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "sim/check/observed_order.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/dry_friction.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/magnetic_field.hpp"
#include "sim/force/obstacle_penalty.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/model/model.hpp"
#include "tests/support/swirl_field.hpp"

namespace pithball::tests {

using Terms = std::vector<std::shared_ptr<sim::ForceTerm>>;

/// Where no closed form is known, `exact` is empty: use `fine_state`.
using Motion = sim::KnownMotion;
using sim::oscillator;

inline sim::Vector all(sim::Index n, double value) { return sim::Vector::Constant(n, value); }
inline sim::Points columns(std::initializer_list<sim::Vec3> list) {
  sim::Points p(3, static_cast<sim::Index>(list.size()));
  sim::Index i = 0;
  for (const auto& c : list) p.col(i++) = c;
  return p;
}
inline std::shared_ptr<sim::ForceTerm> springs(sim::Index n, double k, double l0) {
  return std::make_shared<sim::SpringForce>(all(n, k), all(n, l0));
}
inline std::shared_ptr<sim::ForceTerm> dampers(sim::Index n, double c) {
  return std::make_shared<sim::SpringDamper>(all(n, c));
}
inline std::shared_ptr<const sim::VectorField> uniform(const sim::Vec3& u) {
  return std::make_shared<sim::UniformField>(u);
}

/// The classical Runge–Kutta method with all forces explicit; held particles follow their paths at every stage.
inline sim::State fine_state(const Motion& motion, double t_end, double h_at_most) {
  const sim::Model& model = motion.model;
  sim::State s = motion.initial;
  const auto steps = static_cast<sim::Index>(std::ceil((t_end - s.t) / h_at_most - 1e-9));
  const double h = (t_end - s.t) / steps;
  const auto acceleration = [&](sim::State at) {
    model.place_held(at.t, at.x, &at.v);
    sim::Points f = sim::Points::Zero(3, model.particles());
    model.add_forces(at, f, sim::every_term);
    model.clear_held(f);
    return sim::Points(f * model.mass().cwiseInverse().asDiagonal());
  };
  model.place_held(s.t, s.x, &s.v);
  for (sim::Index n = 0; n < steps; ++n) {
    const sim::Points a1 = acceleration(s), v2 = s.v + h / 2 * a1;
    const sim::Points a2 = acceleration({s.t + h / 2, s.x + h / 2 * s.v, v2}), v3 = s.v + h / 2 * a2;
    const sim::Points a3 = acceleration({s.t + h / 2, s.x + h / 2 * v2, v3}), v4 = s.v + h * a3;
    const sim::Points a4 = acceleration({s.t + h, s.x + h * v3, v4});
    s.x += h / 6 * (s.v + 2 * v2 + 2 * v3 + v4);
    s.v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    s.t = motion.initial.t + (n + 1) * h;
    model.place_held(s.t, s.x, &s.v);
  }
  return s;
}

/// One mass falls through a linear medium that moves: v → u + m g/c.
inline Motion linear_drag_fall() {
  const double m = 0.7, c = 0.9;
  const sim::Vec3 g(0, 0.5, -9.81), u(1.2, -0.4, 0.3), v0(-1, 2, 3), x0(0.1, 0.2, 0.3), end = u + m / c * g;
  const auto state = [=](double t) {
    const double decay = std::exp(-c / m * t);
    return sim::State{t, columns({x0 + t * end + m / c * (1 - decay) * (v0 - end)}),
                      columns({end + decay * (v0 - end)})};
  };
  return {"linear drag fall",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                     {std::make_shared<sim::Gravity>(g), std::make_shared<sim::LinearDrag>(all(1, c), uniform(u))}),
          state(0), 1.6, state};
}

/// Decay in a quadratic medium without other forces: w = w_0/(1 + c |w_0| t/m) relative to the wind.
inline Motion quadratic_decay() {
  const double m = 0.7, c = 0.4;
  const sim::Vec3 u(0.5, 0, -0.2), w0(2, -1, 1.5), x0(0.1, 0.2, 0.3);
  const auto state = [=](double t) {
    const double rate = c * w0.norm() / m;
    return sim::State{t, columns({x0 + t * u + std::log1p(rate * t) / rate * w0}), columns({u + w0 / (1 + rate * t)})};
  };
  return {"quadratic drag decay",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                     {std::make_shared<sim::QuadraticDrag>(all(1, c), uniform(u))}),
          state(0), 1.6, state};
}

/// Fall to the terminal velocity: v = v_T tanh(t/τ + artanh(v_0/v_T)), v_T = √(m g/c), τ = v_T/g.
inline Motion quadratic_fall() {
  const double m = 0.7, c = 0.4, g = 9.81, vt = std::sqrt(m * g / c), tau = vt / g, a = std::atanh(0.3);
  const sim::Vec3 down = sim::Vec3(1, 2, -2) / 3, x0(0.1, 0.2, 0.3);
  const auto state = [=](double t) {
    return sim::State{t, columns({x0 + vt * tau * std::log(std::cosh(a + t / tau) / std::cosh(a)) * down}),
                      columns({vt * std::tanh(a + t / tau) * down})};
  };
  return {"quadratic drag fall",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                     {std::make_shared<sim::Gravity>(g * down),
                      std::make_shared<sim::QuadraticDrag>(all(1, c), uniform({0, 0, 0}))}),
          state(0), 1.6, state};
}

/// A mass slides to rest under smoothed dry friction: with a = |v|/s, sinh a = e^{−κt} sinh a_0 and κ = f/(m s); the
/// way s ∫ a dt by Simpson's rule, whose error is below 1e-13.
inline Motion friction_slide() {
  const double m = 0.7, f = 1.5, s = 2, kappa = f / (m * s);
  const sim::Vec3 v0(2, -1, 1.5), x0(0.1, 0.2, 0.3);
  const auto speed = [=](double t) { return s * std::asinh(std::exp(-kappa * t) * std::sinh(v0.norm() / s)); };
  const auto state = [=](double t) {
    constexpr int pieces = 2000;
    double way = 0;
    for (int k = 0; k < pieces; ++k)
      way += t / pieces / 6 * (speed(t * k / pieces) + 4 * speed(t * (k + 0.5) / pieces) + speed(t * (k + 1) / pieces));
    return sim::State{t, columns({x0 + way * v0.normalized()}), columns({speed(t) * v0.normalized()})};
  };
  return {"friction slide",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                     {std::make_shared<sim::DryFriction>(all(1, f), s)}),
          state(0), 1.6, state};
}

/// A particle driven at constant velocity pulls a mass by a spring on the same line: m b'' = −k (b − l0).
inline Motion towed_mass() {
  const double m = 0.7, k = 9, l0 = 0.5, b0 = 0.9, w0 = -0.4, omega = std::sqrt(k / m);
  const sim::Vec3 e = sim::Vec3(2, -1, 2) / 3, X0(0, 0.1, 0.2), V(0.6, 0.9, -0.3);
  const auto state = [=](double t) {
    const double b = l0 + (b0 - l0) * std::cos(omega * t) + w0 / omega * std::sin(omega * t);
    const double w = -(b0 - l0) * omega * std::sin(omega * t) + w0 * std::cos(omega * t);
    return sim::State{t, columns({X0 + t * V + b * e, X0 + t * V}), columns({V + w * e, V})};
  };
  return {"towed mass",
          sim::Model({.particles = 2, .springs = {{0, 1}}, .held = {{1, sim::Path({-1, 9}, {X0 - V, X0 + 9 * V})}}},
                     all(2, m), all(2, 0), {springs(1, k, l0)}),
          state(0), 1.6, state};
}

/// A bent path drags a chain of two masses by springs and dampers.
inline Motion bent_tow() {
  const sim::Path path({-0.5, 0.4, 1.2, 2.5}, {{0, 0, 0.2}, {0.1, 0, 0}, {0.5, 0.4, 0}, {0.2, 0.6, 0.5}});
  const sim::Points x = columns({{0.6, 0.5, 0.1}, {0.9, -0.3, 0.4}, path.position(0)});
  return {"bent tow",
          sim::Model({.particles = 3, .springs = {{0, 2}, {0, 1}}, .held = {{2, path}}}, all(3, 0.7), all(3, 0),
                     {springs(2, 9, 0.5), dampers(2, 0.5), std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -3))}),
          {0, x, columns({{0.5, -0.7, 0.4}, {0.1, 0.9, 0.3}, {0, 0, 0}})},
          1.6,
          {}};
}

/// A pendulum on a soft damped spring in full swing: the damper's direction turns while it works.
inline Motion damped_pendulum() {
  return {"damped pendulum",
          sim::Model({.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, all(2, 0.8), all(2, 0),
                     {springs(1, 30, 0.9), dampers(1, 1.5), std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81))}),
          {0, columns({{0, 0, 0}, {1, 0.1, 0}}), columns({{0, 0, 0}, {0.8, 1.2, -0.5}})},
          1.2,
          {}};
}

/// A triangle of springs in a swirling wind with both drags, and charges.
inline Motion windy_triangle() {
  const auto wind = std::make_shared<SwirlField>(1.5);
  return {
      "windy triangle",
      sim::Model({.particles = 3, .springs = {{0, 1}, {1, 2}, {2, 0}}, .held = {}}, sim::Vector{{0.5, 0.8, 1.1}},
                 all(3, 5e-6),
                 {springs(3, 15, 0.9), std::make_shared<sim::CoulombForce>(std::make_unique<sim::DirectCoulombSum>()),
                  std::make_shared<sim::LinearDrag>(all(3, 0.3), wind),
                  std::make_shared<sim::QuadraticDrag>(all(3, 0.4), wind)}),
      {0, columns({{0, 0, 0}, {1, 0.1, 0.2}, {0.3, 0.8, -0.1}}),
       columns({{1, -1, 0.5}, {0, 1.5, 0.3}, {-0.5, 0.2, 1}})},
      1.2,
      {}};
}

/// A charge in crossed fields under gravity: v' = ω × v + a with ω = −(q/m) B and a = (q/m) E + g. Across B it gyrates
/// about the drift u = ω × a/|ω|², along B it falls.
inline Motion crossed_fields() {
  const double m = 0.7, q = 3e-6;
  const sim::Vec3 B(1e5, -3e5, 2e5), E(3e5, 1e5, -2e5), g(0, 0.5, -2), v0(1, -0.5, 0.8), x0(0.1, 0.2, 0.3);
  const sim::Vec3 omega = -q / m * B, axis = omega.normalized(), a = q / m * E + g;
  const double rate = omega.norm();
  const sim::Vec3 drift = omega.cross(a) / (rate * rate), along = axis.dot(v0) * axis, fall = axis.dot(a) * axis;
  const sim::Vec3 w = v0 - along - drift, turned = axis.cross(w);
  const auto state = [=](double t) {
    const double sine = std::sin(rate * t), cosine = std::cos(rate * t);
    const sim::Vec3 around = sine / rate * w + (1 - cosine) / rate * turned;
    return sim::State{t, columns({x0 + t * (drift + along) + t * t / 2 * fall + around}),
                      columns({drift + along + t * fall + cosine * w + sine * turned})};
  };
  return {"crossed fields",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, q),
                     {std::make_shared<sim::Gravity>(g), std::make_shared<sim::ElectricField>(uniform(E)),
                      std::make_shared<sim::MagneticField>(uniform(B))}),
          state(0), 1.6, state};
}

/// A triangle of damped springs with charges in a magnetic field that varies in space and time, with quadratic drag.
inline Motion magnetic_triangle() {
  return {"magnetic triangle",
          sim::Model({.particles = 3, .springs = {{0, 1}, {1, 2}, {2, 0}}, .held = {}}, sim::Vector{{0.5, 0.8, 1.1}},
                     sim::Vector{{5e-6, -4e-6, 6e-6}},
                     {springs(3, 15, 0.9), dampers(3, 0.4),
                      std::make_shared<sim::MagneticField>(std::make_shared<SwirlField>(2e5)),
                      std::make_shared<sim::QuadraticDrag>(all(3, 0.4), uniform({0.2, 0, -0.1}))}),
          {0, columns({{0, 0, 0}, {1, 0.1, 0.2}, {0.3, 0.8, -0.1}}),
           columns({{1, -1, 0.5}, {0, 1.5, 0.3}, {-0.5, 0.2, 1}})},
          1.2,
          {}};
}

/// A penalty obstacle and its damper for one particle.
inline Terms obstacle(const std::string& kind, std::shared_ptr<const sim::Obstacle> shape, double radius, double k,
                      double c, double ct) {
  const auto penalty = std::make_shared<sim::ObstaclePenalty>(kind + "_penalty", std::move(shape), all(1, radius), k);
  return {penalty, std::make_shared<sim::ObstacleDamper>(kind, penalty, c, ct)};
}

/// A ball that lies on a yielding plane under its weight, bobs and slides: along the normal a damped oscillator about
/// s = r − m g/k, across it v_t e^{−c_t t/m}.
inline Motion ball_on_plane() {
  const double m = 0.7, k = 40, c = 1.1, ct = 0.6, g = 9.81, r = 0.05, s0 = -0.05, w0 = 0.3, rest = r - m * g / k;
  const double beta = c / (2 * m), omega = std::sqrt(k / m - beta * beta), A = s0 - rest, B = (w0 + beta * A) / omega;
  const sim::Vec3 n = sim::Vec3(2, -1, 2) / 3, slide = sim::Vec3(1, 0, -1) / 2, p(0.1, 0.2, 0.3);
  const auto state = [=](double t) {
    const double decay = std::exp(-beta * t), cosine = std::cos(omega * t), sine = std::sin(omega * t);
    const double s = rest + decay * (A * cosine + B * sine),
                 w = decay * ((omega * B - beta * A) * cosine - (omega * A + beta * B) * sine);
    const double slowed = std::exp(-ct / m * t);
    return sim::State{t, columns({p + s * n + m / ct * (1 - slowed) * slide}), columns({w * n + slowed * slide})};
  };
  Terms terms = obstacle("plane", std::make_shared<sim::PlaneObstacle>("plane", p, n), r, k, c, ct);
  terms.push_back(std::make_shared<sim::Gravity>(-g * n));
  return {"ball on a plane", sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0), terms),
          state(0), 1.6, state};
}

/// A ball that swings in a yielding bowl, always in contact.
inline Motion ball_in_bowl() {
  const double radius = 1, r = 0.1;
  const sim::Vec3 c(0.2, -0.1, 0.4), out = sim::Vec3(0.5, 0.3, -0.8).normalized();
  Terms terms = obstacle("sphere", std::make_shared<sim::SphereObstacle>("sphere", c, radius, sim::Side::Inside), r, 60,
                         0.8, 0.3);
  terms.push_back(std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81)));
  return {"ball in a bowl",
          sim::Model({.particles = 1, .springs = {}, .held = {}}, all(1, 0.7), all(1, 0), terms),
          {0, columns({c + (radius - r + 0.1) * out}), columns({{0.3, -0.5, 0}})},
          1.2,
          {}};
}

inline std::vector<Motion> all_motions() {
  return {oscillator(0),    oscillator(0.9), linear_drag_fall(), quadratic_decay(),  quadratic_fall(),
          friction_slide(), towed_mass(),    bent_tow(),         damped_pendulum(),  windy_triangle(),
          ball_on_plane(),  ball_in_bowl(),  crossed_fields(),   magnetic_triangle()};
}

}  // namespace pithball::tests
