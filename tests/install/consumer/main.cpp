// A stranger's program: lets a particle fall for one second with the installed libraries. Ends with 0 if it fell g/2.
#include <cmath>

#include "diff/rollout/rollout.hpp"
#include "sim/force/gravity.hpp"

int main() {
  using namespace pithball;
  const sim::Model model({1, {}, {}}, sim::Vector::Ones(1), sim::Vector::Zero(1),
                         {std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81))});
  const diff::Scenario scenario{.name = "fall",
                                .model = model,
                                .initial = {0, sim::Vec3::Zero(), sim::Vec3::Zero()},
                                .integrator = "velocity_verlet",
                                .time_step = 0.1,
                                .steps = 10,
                                .stage = {}};
  double z = 0;
  diff::run_forward(scenario, [&](sim::Index, const sim::State& s) { z = s.x(2, 0); });
  return std::abs(z + 9.81 / 2) < 1e-12 ? 0 : 1;
}
