#pragma once
// A small charged body for the tests of optim: four particles, six springs, made to move by its own charges.

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::test {

struct BodyOptions {
  double charge = 6e-6, stiffness = 12, damping = 0.05, mass = 0.3;
  bool field = false;  ///< a uniform field of 3e4 V/m along x
  bool gravity = false;
  sim::Index pinned = 0;  ///< the first so many particles; gravity pins at least one
  double time_step = 0.02;
  sim::Index steps = 50;
  std::string integrator = "imex_midpoint";
};

inline diff::Scenario make_body(const std::string& name, const BodyOptions& o = {}) {
  using namespace sim;
  State state;
  state.x.resize(3, 4);
  state.x << 0, 1, 0.3, 0.4, 0, 0.1, 0.9, 0.3, 0, -0.1, 0.1, 0.8;
  state.v = Points::Zero(3, 4);
  state.v.col(1) << 0.1, -0.2, 0.15;
  Topology topology;
  topology.particles = 4;
  Vector rest_length(6);
  for (Index i = 0, k = 0; i < 4; ++i)
    for (Index j = i + 1; j < 4; ++j, ++k) {
      topology.springs.push_back({i, j});
      rest_length[k] = 0.9 * (state.x.col(i) - state.x.col(j)).norm();
    }
  for (Index i = 0; i < std::max(o.pinned, Index{o.gravity ? 1 : 0}); ++i) topology.held.push_back({i, {}});
  std::vector<std::shared_ptr<ForceTerm>> terms = {
      std::make_shared<SpringForce>(Vector::LinSpaced(6, 0.8, 1.2) * o.stiffness, rest_length),
      std::make_shared<SpringDamper>(Vector::Constant(6, o.damping)),
      std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>()),
      std::make_shared<LinearDrag>(Vector::Zero(4), std::make_shared<UniformField>(Vec3::Zero()))};
  if (o.field) terms.push_back(std::make_shared<ElectricField>(std::make_shared<UniformField>(Vec3(3e4, 0, 0))));
  if (o.gravity) terms.push_back(std::make_shared<Gravity>(Vec3(0, 0, -9.81)));
  Vector charge(4);
  charge << 1, 0.8, 1.1, 0.9;
  Model model(topology, Vector::Constant(4, o.mass), charge * o.charge, terms);
  return {.name = name,
          .model = model,
          .initial = state,
          .integrator = o.integrator,
          .time_step = o.time_step,
          .steps = o.steps,
          .stage = {}};
}

/// The positions of all particles every `stride` steps of a run, as a recording with Gaussian noise [m].
inline optim::Observation record(const diff::Scenario& scenario, sim::Index stride, double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  optim::Observation o;
  for (sim::Index i = 0; i < scenario.model.particles(); ++i) o.markers.push_back({std::to_string(i), {{i, 1.0}}});
  o.noise.sigma = sim::Vector::Constant(scenario.model.particles(), noise > 0 ? noise : 1e-3);
  diff::run_forward(scenario, [&](sim::Index n, const sim::State& state) {
    if (n % stride != 0) return;
    o.times.push_back(n * scenario.time_step);
    sim::Points x = state.x;
    for (double& value : sim::flat(x)) value += noise * normal(random);
    o.positions.push_back(x);
  });
  return o;
}

/// The same scenario by a finer integrator: velocity Verlet at a tenth of the step.
inline diff::Scenario refined(diff::Scenario scenario) {
  scenario.integrator = "velocity_verlet";
  scenario.time_step /= 10;
  scenario.steps *= 10;
  return scenario;
}

/// A parameter that all entries of a value share.
inline optim::Parameter shared(const std::string& value, std::optional<double> initial = {}) {
  optim::Parameter p;
  p.value = value;
  p.initial = initial;
  return p;
}

}  // namespace pithball::test
