#pragma once
// A ball on a spring that swings along it, filmed: the cost has a minimum for every stiffness that is out of step by
// whole periods.

#include <cmath>
#include <memory>

#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"

namespace pithball::test {

struct SwingOptions {
  double periods = 8, frequency = 1;  ///< how many are filmed; of the truth [Hz]
  double frames_per_second = 20;      ///< on the film
  double noise = 0;                   ///< of each coordinate, as a part of `length`
  double guess = 1;                   ///< start over truth, of the stiffness
  double length = 1;                  ///< of the spring at rest [m]
  double steps_per_period = 40;       ///< at least: the midpoint rule makes the spring too stiff by (2π/steps)²/6
  unsigned seed = 1;
};

/// The fit of its stiffness, by at least four steps to a frame.
inline optim::FitProblem recorded_swing(const SwingOptions& o) {
  using namespace sim;
  State state;
  state.x.resize(3, 2);
  state.x << 0, 1.3 * o.length, 0, 0, 0, 0;
  state.v = Points::Zero(3, 2);
  Topology topology;
  topology.particles = 2;
  topology.springs.push_back({0, 1});
  topology.held.push_back({0, {}});
  const double stiffness = std::pow(2 * M_PI * o.frequency, 2);  // mass 1 kg
  const auto model = [&](double k) {
    return Model(topology, Vector::Ones(2), Vector::Zero(2),
                 {std::make_shared<SpringForce>(Vector::Constant(1, k), Vector::Constant(1, o.length))});
  };
  const double frame = 1 / o.frames_per_second;
  const auto stride = static_cast<Index>(std::ceil(std::max(4.0, o.steps_per_period * o.frequency * frame)));
  const auto frames = static_cast<Index>(std::lround(o.periods / o.frequency / frame));
  diff::Scenario scenario{.name = "swing",
                          .model = model(stiffness),
                          .initial = state,
                          .integrator = "imex_midpoint",
                          .time_step = frame / static_cast<double>(stride),
                          .steps = frames * stride,
                          .stage = {}};
  optim::FitProblem problem;
  problem.observations = {record(refined(scenario), 10 * stride, o.noise * o.length, o.seed)};
  problem.observations[0].noise.sigma.setConstant((o.noise > 0 ? o.noise : 1e-3) * o.length);
  scenario.model = model(o.guess * stiffness);
  problem.scenarios = {scenario};
  problem.parameters = {shared("stiffness")};
  return problem;
}

}  // namespace pithball::test
