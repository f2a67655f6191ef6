#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::tests;

namespace {

diff::Scenario scenario_of(const Motion& motion, const sim::IntegratorChoice& integrator, sim::Index steps) {
  return {.name = motion.name,
          .model = motion.model,
          .initial = motion.initial,
          .integrator = integrator,
          .time_step = motion.duration / steps,
          .steps = steps,
          .stage = {.tolerance = 1e-13}};
}

void check_motion(const Motion& motion, const std::string& integrator, sim::Index steps) {
  const diff::Scenario s = scenario_of(motion, few_substeps(integrator), steps);
  // Solves stop at 1e-12, times the condition of the blocks; what they leave adds up over substeps.
  const double solves = s.integrator.info().adaptive ? 1e-8 : 1e-9;
  const auto check =
      diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = solves, .difference_tolerance = 1e-7});
  REQUIRE(check.status.ok());
  for (const auto& block : check.blocks) {
    INFO(integrator << ", " << motion.name << ", " << block.name << ": " << block.adjoint_vs_tangent << " and "
                    << block.adjoint_vs_difference << "; " << block.worst);
    // Only charges have nothing to act on in most of these motions; every other block must count.
    if (block.name != "charge") CHECK(block.largest > 0);
    CHECK(block.adjoint_vs_tangent < solves);
    CHECK(block.adjoint_vs_difference < 1e-7);  // Ridders' extrapolation on losses of order 1
    CHECK(block.passed);
  }
  CHECK(check.passed);
}

}  // namespace

TEST_CASE("gradient check: oscillators, drag and driven particles agree in every integrator", "[diff][fd][slow]") {
  for (const std::string& integrator : diff::differentiable_integrators())
    for (const Motion& motion : all_motions()) check_motion(motion, integrator, 40);
}

TEST_CASE("gradient check: each motion agrees in one integrator in turn, and each integrator in one motion",
          "[diff][fd]") {
  const auto integrators = diff::differentiable_integrators();
  const auto motions = all_motions();
  for (std::size_t k = 0; k < std::max(integrators.size(), motions.size()); ++k)
    check_motion(motions[k % motions.size()], integrators[k % integrators.size()], 20);
}

// The exact solution of the damped oscillator differentiated by hand-made differences of the closed form, not of the
// program.
TEST_CASE("gradients: those of the integrator approach those of the exact solution with its order", "[diff][order]") {
  const double d = 1e-3, c = 0.9;
  const auto exact = [](double damping) {
    const Motion m = oscillator(damping);
    return m.exact(m.duration).x(0, 0);
  };
  // ∂x_0/∂c to about 1e-12, by differences of fourth order.
  const double want = (8 * (exact(c + d) - exact(c - d)) - (exact(c + 2 * d) - exact(c - 2 * d))) / (12 * d);
  REQUIRE(std::abs(want) > 1e-3);
  for (const auto& info : sim::integrators()) {
    const auto names = diff::differentiable_integrators();
    if (std::find(names.begin(), names.end(), info.name) == names.end()) continue;
    const auto error = [&](sim::Index steps) {
      const diff::Scenario s = scenario_of(oscillator(c), uncontrolled(info.name), steps);
      diff::AdjointRollout rollout(s);
      REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
      const sim::Vector g = rollout.backward(
          [&](sim::Index n, const sim::State&, sim::Points& gx, sim::Points&) { gx(0, 0) += n == steps ? 1 : 0; });
      return std::abs(g[s.model.values().block(*s.model.values().find("damping")).offset] - want);
    };
    const sim::Index steps = info.position_order < 4   ? 100
                             : info.position_order < 5 ? 25
                                                       : 8;  // errors of high order sink into rounding
    const double order = std::log2(error(steps) / error(2 * steps));
    INFO(info.name << ": order " << order << " of ∂x/∂c");
    CHECK(order > info.position_order - 0.15);
  }
}

TEST_CASE("gradients: a stage at buckling marks its step's derivative as unreliable", "[diff][buckling]") {
  // A particle between two pins in line stays there for ever; across the line H is m + 2 g² k (1 − l0/l) = m − g² k/2.
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "implicit_euler"}) {
    const double h = 0.1, g = integrator == "imex_midpoint" ? h / 2 : h, critical = 1 / (0.5 * g * g);
    for (const double k : {0.5 * critical, critical * (1 - 1e-10)}) {
      const Motion column{"column",
                          sim::Model({.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {{0, {}}, {2, {}}}},
                                     all(3, 1), all(3, 0), {springs(2, k, 1.25)}),
                          {0, columns({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}), sim::Points::Zero(3, 3)},
                          4 * h,
                          {}};
      const diff::Scenario s = scenario_of(column, integrator, 4);
      diff::AdjointRollout rollout(s);
      const auto status = rollout.forward([](sim::Index, const sim::State&) {});
      CHECK(status.ok());
      rollout.backward([](sim::Index n, const sim::State&, sim::Points& gx, sim::Points&) { gx(1, 1) += n == 4; });
      INFO(integrator << " " << k / critical);
      // implicit_euler learns it from the solves of the derivative, the others from their stage.
      if (integrator == "implicit_euler")
        CHECK(rollout.unreliable_step() == (k < 0.9 * critical ? -1 : 4));
      else
        CHECK(status.unreliable_step == (k < 0.9 * critical ? -1 : 1));
    }
  }
}
