// Finds a spring's stiffness and damping from positions that were seen, with error bars.
#include <cmath>
#include <cstdio>
#include <memory>

#include "optim/fit.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

using namespace pithball;

namespace {

/// A ball on a spring of 0.5 m whose other end is held, pulled to 0.7 m.
diff::Scenario ball(double stiffness, double damping) {
  const sim::Model model({.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, sim::Vector::Constant(2, 0.2),
                         sim::Vector::Zero(2),
                         {std::make_shared<sim::SpringForce>(sim::Vector{{stiffness}}, sim::Vector{{0.5}}),
                          std::make_shared<sim::SpringDamper>(sim::Vector{{damping}})});
  sim::State start{0, sim::Points::Zero(3, 2), sim::Points::Zero(3, 2)};
  start.x(0, 1) = 0.7;
  return {.name = "ball", .model = model, .initial = start, .time_step = 0.005, .steps = 200, .stage = {}};
}

}  // namespace

int main() {
  optim::Observation recording;  // in place of a recording: the truth is 12 N/m and 0.1 N s/m
  recording.markers = {{"ball", {{1, 1.0}}}};
  recording.noise.sigma = sim::Vector{{1e-3}};
  diff::run_forward(ball(12, 0.1), [&](sim::Index n, const sim::State& state) {
    if (n % 10 != 0) return;
    recording.times.push_back(state.t);
    recording.positions.emplace_back(state.x.col(1) + sim::Vec3(2e-4 * std::sin(9.0 * static_cast<double>(n)), 0, 0));
  });

  optim::FitProblem problem;
  problem.scenarios = {ball(20, 0.3)};  // where the search starts
  problem.observations = {recording};
  problem.parameters = {{.value = "stiffness"}, {.value = "damping"}};
  const optim::FitReport report = optim::fit(problem);
  for (const optim::FittedParameter& p : report.estimates.parameters)
    std::printf("%s = %.4f +- %.4f %s\n", p.name.c_str(), p.estimate, p.standard_error, p.unit.c_str());
  const bool found =
      std::abs(report.estimates.parameters[0].estimate - 12) < 4 * report.estimates.parameters[0].standard_error;
  return report.verdict.status == optim::RunStatus::Converged && found ? 0 : 1;
}
