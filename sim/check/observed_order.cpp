#include "sim/check/observed_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/core/default_settings.hpp"
#include "sim/force/counted_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::sim {
namespace {

/// Answers what controls a step by infinity, and everything else by its fallback.
class NothingControlled final : public DefaultSettings {
 public:
  double number(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                ValueSign sign) override {
    const bool control = key.find("tolerance") != std::string_view::npos || key == "safety_factor";
    return control ? std::numeric_limits<double>::infinity()
                   : DefaultSettings::number(key, unit, meaning, fallback, sign);
  }
};

/// The oscillator as it falls: linear but for a constant force, which is the one that is counted. (Newton's method
/// solves an implicit step of it at once, which is the least that it needs.)
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
