// Two charged balls on a spring, the upper one held: lets go of the lower one and prints how high it is.
#include <cstdio>
#include <memory>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/run/simulator.hpp"

using namespace pithball::sim;

int main() {
  const Topology body{.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}};
  const Vector mass{{0.1, 0.1}}, charge{{2e-6, 2e-6}};  // kg, C
  const Model model(body, mass, charge,
                    {std::make_shared<SpringForce>(Vector{{40}}, Vector{{0.5}}),  // N/m, m
                     std::make_shared<Gravity>(Vec3(0, 0, -9.81)),
                     std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())});
  State start{0, Points::Zero(3, 2), Points::Zero(3, 2)};
  start.x(2, 1) = -0.5;  // m

  RunOptions options;
  options.integrator = "imex_midpoint";
  options.time_step = 0.005;  // s
  options.steps = 200;
  options.every = 40;
  const Trajectory run = simulate(model, start, options);
  for (std::size_t k = 0; k < run.states.size(); ++k)
    std::printf("t = %.1f s: height %.4f m, energy %.6f J\n", run.states[k].t, run.states[k].x(2, 1),
                run.energy[k].total());
  return run.status == StepStatus::Ok ? 0 : 1;
}
