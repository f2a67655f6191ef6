// The gradient of a loss of one's own with respect to every physical value, by the adjoint, beside a difference.
#include <cmath>
#include <cstdio>
#include <memory>

#include "diff/rollout/rollout.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/gravity.hpp"

using namespace pithball;

namespace {

/// A ball thrown at 10 m/s, 45° upwards, through resting air.
diff::Scenario thrown() {
  const auto air = std::make_shared<sim::UniformField>(sim::Vec3::Zero());
  const sim::Model model({.particles = 1, .springs = {}, .held = {}}, sim::Vector::Constant(1, 0.05),
                         sim::Vector::Zero(1),
                         {std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81)),
                          std::make_shared<sim::LinearDrag>(sim::Vector::Constant(1, 0.02), air)});
  return {.name = "throw",
          .model = model,
          .initial = {0, sim::Vec3::Zero(), sim::Vec3(7.07, 0, 7.07)},
          .integrator = "imex_midpoint",
          .time_step = 0.01,
          .steps = 100,
          .stage = {}};
}

/// How far it has come after a second [m].
double distance(const diff::Scenario& scenario) {
  double x = 0;
  diff::run_forward(scenario, [&](sim::Index, const sim::State& state) { x = state.x(0, 0); });
  return x;
}

}  // namespace

int main() {
  const diff::Scenario scenario = thrown();
  diff::AdjointRollout rollout(scenario);
  rollout.forward([](sim::Index, const sim::State&) {});
  // ∂(distance)/∂x is 1 at the last step and 0 before it.
  const sim::Vector gradient = rollout.backward([&](sim::Index n, const sim::State&, sim::Points& gx, sim::Points&) {
    if (n == scenario.steps) gx(0, 0) += 1;
  });
  const sim::Values& values = scenario.model.values();
  const sim::Index drag = values.block(values.find("linear_drag").value()).offset;
  sim::Vector more = scenario.physical_values(), less = more;
  more[drag] += 1e-6, less[drag] -= 1e-6;
  const double difference =
      (distance(scenario.with_physical_values(more)) - distance(scenario.with_physical_values(less))) / 2e-6;
  std::printf("d(distance)/d(drag) = %.9f by the adjoint, %.9f by a difference, in m per kg/s\n", gradient[drag],
              difference);
  return std::abs(gradient[drag] - difference) < 1e-6 * std::abs(difference) ? 0 : 1;
}
