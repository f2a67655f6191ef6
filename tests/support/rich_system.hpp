#pragma once
// A small body that uses every force, pinned and driven particles at once: nothing in a derivative can hide behind a
// zero.
#include <cmath>

#include "diff/rollout/rollout.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "tests/support/swirl_field.hpp"

namespace pithball::tests {

/// Seven particles; number 0 pinned and number 6 driven if asked.
inline diff::Scenario rich_scenario(const std::string& integrator, double time_step, sim::Index steps,
                                    bool held = true) {
  using namespace sim;
  Points x(3, 7), v(3, 7);
  x << 0, 1.1, 0.4, 0.5, -0.6, 1.3, -0.2,  //
      0, 0.1, 0.9, 0.3, 0.5, 0.8, -0.8,    //
      0, -0.1, 0.1, 0.9, 0.7, 1.1, -0.4;
  for (Index k = 0; k < v.size(); ++k) v.data()[k] = 0.3 * std::sin(3.0 * k + 1);
  Topology topology{
      .particles = 7,
      .springs =
          {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {0, 4}, {3, 4}, {2, 4}, {3, 5}, {1, 5}, {0, 6}, {1, 6}},
      .held = {}};
  if (held) {
    topology.held.push_back({0, {}});
    const Vec3 start = x.col(6);
    topology.held.push_back(
        {6, Path({-1, 0.05, 0.2, 0.5, 2},
                 {start + Vec3(0, 0, -0.1), start, start + Vec3(0.1, 0.05, 0), start + Vec3(0, 0.2, 0.1), start})});
  }
  const Index springs = topology.springs.size();
  Vector k(springs), l0(springs), c(springs), mass(7), charge(7), c1(7), c2(7);
  for (Index e = 0; e < springs; ++e) {
    const auto& s = topology.springs[e];
    const double u = std::sin(e);
    k[e] = 30 + 12 * u;
    l0[e] = (x.col(s.i) - x.col(s.j)).norm() * (1 - 0.08 * u);
    c[e] = 0.4 + 0.2 * u;
  }
  for (Index i = 0; i < 7; ++i) {
    const double u = std::cos(2.0 * i);
    mass[i] = 0.8 + 0.3 * u;
    charge[i] = (5 + 2 * u) * 1e-6;
    c1[i] = 0.3 + 0.1 * u;
    c2[i] = 0.2 - 0.05 * u;
  }
  l0[4] = 0;
  std::vector<std::shared_ptr<ForceTerm>> terms{
      std::make_shared<SpringForce>(k, l0),
      std::make_shared<SpringDamper>(c),
      std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>(0.05), 0.05),
      std::make_shared<Gravity>(Vec3(0.3, 0.1, -9.81)),
      std::make_shared<ElectricField>(std::make_shared<UniformField>(Vec3(2e4, -1e4, 3e4))),
      std::make_shared<ElectricField>(std::make_shared<SwirlField>(5e4)),
      std::make_shared<PointCharge>(8e-6, Path({0, 1}, {Vec3(1.8, 1.5, 0.2), Vec3(1.6, 1.9, 0.5)})),
      std::make_shared<LinearDrag>(c1, std::make_shared<SwirlField>(0.5)),
      std::make_shared<QuadraticDrag>(c2, std::make_shared<SwirlField>(-0.7))};
  return {.name = "rich",
          .model = Model(topology, mass, charge, terms),
          .initial = {0, x, v},
          .integrator = integrator,
          .time_step = time_step,
          .steps = steps,
          .stage = {.tolerance = 1e-13}};
}

inline double distance(const sim::State& a, const sim::State& b) { return (a.x - b.x).norm() + (a.v - b.v).norm(); }

}  // namespace pithball::tests
