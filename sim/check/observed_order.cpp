#include "sim/check/observed_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/default_settings.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/decorated_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::sim {
namespace {

using Terms = std::vector<std::shared_ptr<ForceTerm>>;

/// Two masses whose center drifts.
struct DriftingPair {
  double m0 = 0.6, m1 = 1.5;
  Vec3 center{0.3, -0.2, 0.1}, drift{0.2, 0.1, -0.3};

  double reduced_mass() const { return m0 * m1 / (m0 + m1); }
  /// Returns the state at time t with separation b and relative velocity w.
  State state(double t, const Vec3& b, const Vec3& w) const {
    State s{t, Points(3, 2), Points(3, 2)};
    const Vec3 at = center + t * drift;
    s.x << at + m1 / (m0 + m1) * b, at - m0 / (m0 + m1) * b;
    s.v << drift + m1 / (m0 + m1) * w, drift - m0 / (m0 + m1) * w;
    return s;
  }
};

}  // namespace

KnownMotion oscillator(double damping) {
  const DriftingPair pair;
  const double k = 12, l0 = 0.8, b0 = 1.1, w0 = 0.7;
  const double mu = pair.reduced_mass(), gamma = damping / (2 * mu), omega = std::sqrt(k / mu - gamma * gamma);
  const Vec3 e = Vec3(1, 2, -2) / 3;
  const auto state = [=](double t) {
    const double A = b0 - l0, B = (w0 + gamma * A) / omega, decay = std::exp(-gamma * t), c = std::cos(omega * t),
                 s = std::sin(omega * t);
    const double b = l0 + decay * (A * c + B * s),
                 w = decay * ((B * omega - gamma * A) * c - (A * omega + gamma * B) * s);
    return pair.state(t, b * e, w * e);
  };
  Terms terms{std::make_shared<SpringForce>(Vector{{k}}, Vector{{l0}})};
  if (damping > 0) terms.push_back(std::make_shared<SpringDamper>(Vector{{damping}}));
  return {damping > 0 ? "damped oscillator" : "harmonic oscillator",
          Model({.particles = 2, .springs = {{0, 1}}, .held = {}}, Vector{{pair.m0, pair.m1}}, Vector::Zero(2), terms),
          state(0), 1.6, state};
}

KnownMotion elliptic_orbit() {
  const DriftingPair pair;
  const double q = 8e-6, a = 0.5, e = 0.3;
  const double mu = pair.reduced_mass(), n = std::sqrt(coulomb_constant * q * q / (mu * a * a * a)),
               minor = a * std::sqrt(1 - e * e);
  const Vec3 p = Vec3(1, 2, -2) / 3, across = Vec3(2, 1, 2) / 3;
  const auto state = [=](double t) {
    double E = n * t;  // Kepler's equation E − e sin E = n t, by Newton's method
    for (int k = 0; k < 50; ++k) E -= (E - e * std::sin(E) - n * t) / (1 - e * std::cos(E));
    const double rate = n / (1 - e * std::cos(E));
    const Vec3 b = a * (std::cos(E) - e) * p + minor * std::sin(E) * across;
    const Vec3 w = rate * (-a * std::sin(E) * p + minor * std::cos(E) * across);
    return pair.state(t, b, w);
  };
  return {"elliptic orbit",
          Model({.particles = 2, .springs = {}, .held = {}}, Vector{{pair.m0, pair.m1}}, Vector{{q, -q}},
                {std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>())}),
          state(0), 1.6, state};
}

KnownMotion vortex_tracers() {
  const double Omega = 3, w = 0.4;
  const Points start{{0.5, -1.1, 0.2}, {0, 0.7, -0.6}, {0.1, -0.2, 0.3}};
  const auto flow = std::make_shared<AnalyticField>(
      std::array<std::string, 3>{"-3*y*(1 + cos(t))/(1 + x^2 + y^2)", "3*x*(1 + cos(t))/(1 + x^2 + y^2)", "0.4"});
  const auto state = [=](double t) {
    State s{t, start, Points(3, 3)};
    for (Index i = 0; i < 3; ++i) {
      const double r2 = start.col(i).head<2>().squaredNorm(), angle = Omega * (t + std::sin(t)) / (1 + r2),
                   rate = Omega * (1 + std::cos(t)) / (1 + r2), c = std::cos(angle), sine = std::sin(angle);
      const double x = c * start(0, i) - sine * start(1, i), y = sine * start(0, i) + c * start(1, i);
      s.x.col(i) = Vec3(x, y, start(2, i) + w * t);
      s.v.col(i) = Vec3(-rate * y, rate * x, w);
    }
    return s;
  };
  return {"vortex tracers",
          Model({.particles = 3, .springs = {}, .held = {}, .flow = flow}, Vector::Zero(3), Vector::Zero(3), {}),
          state(0), 1.6, state};
}

namespace {

/// Returns infinity for settings that control the time step, and the default of every other setting.
class NothingControlled final : public DefaultSettings {
 public:
  double number(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                ValueSign sign) override {
    const bool control = key.find("tolerance") != std::string_view::npos || key == "safety_factor";
    return control ? std::numeric_limits<double>::infinity()
                   : DefaultSettings::number(key, unit, meaning, fallback, sign);
  }
};

/// Returns the least number of evaluations of gravity in a step of a falling oscillator. All other forces are linear
/// and gravity is constant, so Newton's method needs one iteration for an implicit step, its minimum.
int count_sums(const std::string& name) {
  const KnownMotion motion = oscillator(0.9);
  const auto count = std::make_shared<ForceCount>();
  std::vector<std::shared_ptr<ForceTerm>> terms = motion.model.terms();
  const auto gravity = std::make_shared<Gravity>(Vec3(0, 0, -9.81));
  terms.push_back(gravity);
  const Model falling(motion.model.topology(), motion.model.mass(), motion.model.charge(), terms);
  const Model model = falling.with_terms([&](const std::shared_ptr<ForceTerm>& term) -> std::shared_ptr<ForceTerm> {
    return term == gravity ? std::make_shared<CountedForce>(term, count) : term;
  });
  Stepper stepper(model, motion.initial, uncontrolled(name), {}, 0.01);
  long least = std::numeric_limits<int>::max();
  for (int n = 0; n < stepper.integrator().info().startup_steps + 10; ++n) {
    const long before = count->sums;
    stepper.advance();
    if (n >= stepper.integrator().info().startup_steps) least = std::min(least, count->sums - before);
  }
  return least;
}

}  // namespace

IntegratorChoice uncontrolled(const std::string& name) {
  NothingControlled settings;
  return {name, settings};
}

std::optional<RunErrors> measure_errors(const WantedMotion& wanted, const IntegratorChoice& integrator, Index steps) {
  Stepper stepper(wanted.model, wanted.initial, integrator, {}, wanted.duration / steps);
  const Index every = steps / static_cast<Index>(wanted.states.size());
  RunErrors errors;
  for (std::size_t k = 0; k < wanted.states.size(); ++k) {
    for (Index n = 0; n < every; ++n)
      if (stepper.advance().status != StepStatus::Ok) return {};
    errors.x += (stepper.state().x - wanted.states[k].x).squaredNorm();
    errors.v += (stepper.state().v - wanted.states[k].v).squaredNorm();
    if (wanted.restarts.count(k)) stepper.restart(wanted.model);
  }
  return RunErrors{std::sqrt(errors.x), std::sqrt(errors.v)};
}

Index steps_for_order(int order) { return 320 / (order <= 2 ? 1 : order == 3 ? 2 : 4); }

Index steps_to_measure(const IntegratorInfo& info) {
  return (info.position_order == 1 || info.startup_steps > 1 ? 4 : 1) * steps_for_order(info.position_order);
}

double order_margin(int order) { return 0.12 * order; }

MeasuredIntegrator measure_integrator(const std::string& name) {
  constexpr int instants = 8;
  const IntegratorChoice integrator = uncontrolled(name);
  const Index steps = steps_to_measure(integrator.info());
  constexpr double unknown = std::numeric_limits<double>::infinity();
  MeasuredIntegrator measured{unknown, unknown, count_sums(name)};
  for (const KnownMotion& motion : {oscillator(0.9), elliptic_orbit()}) {
    std::vector<State> wanted;
    for (int k = 1; k <= instants; ++k) wanted.push_back(motion.exact(motion.duration * k / instants));
    const auto run = [&](Index n) {
      return measure_errors({motion.model, motion.initial, motion.duration, wanted}, integrator, n);
    };
    const auto coarse = run(steps), fine = run(2 * steps);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    measured.position_order = coarse && fine ? std::min(measured.position_order, std::log2(coarse->x / fine->x)) : nan;
    measured.velocity_order = coarse && fine ? std::min(measured.velocity_order, std::log2(coarse->v / fine->v)) : nan;
  }
  return measured;
}

}  // namespace pithball::sim
