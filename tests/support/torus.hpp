#pragma once
// The torus of the paper's experiments: 29×5 vertices, one diagonal for each quad, 435 springs at rest.
#include <cmath>
#include <numbers>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/model/model.hpp"

namespace pithball::tests {

struct Torus {
  double major = 4, minor = 1.5;  ///< [m]
  double mass = 0.1;              ///< of each vertex [kg]
  double stiffness = 10;          ///< [N/m]
  double charge = 6e-6;           ///< of each vertex [C]
  double damping = 0;             ///< [N s/m]
  sim::Index around = 29, across = 5;
  std::shared_ptr<const sim::CoulombSum> coulomb = std::make_shared<sim::DirectCoulombSum>();

  sim::State state() const {
    const sim::Index n = around * across;
    sim::Points x(3, n);
    for (sim::Index i = 0; i < around; ++i)
      for (sim::Index j = 0; j < across; ++j) {
        const double u = 2 * std::numbers::pi * i / around;
        const double w = 2 * std::numbers::pi * j / across;
        const double r = major + minor * std::cos(w);
        x.col(i * across + j) = sim::Vec3(r * std::cos(u), r * std::sin(u), minor * std::sin(w));
      }
    return {0, x, sim::Points::Zero(3, n)};
  }

  sim::Model model() const {
    const sim::Index n = around * across;
    sim::Topology topology{.particles = n, .springs = {}, .held = {}};
    for (sim::Index i = 0; i < around; ++i)
      for (sim::Index j = 0; j < across; ++j) {
        const sim::Index next_i = (i + 1) % around, next_j = (j + 1) % across, here = i * across + j;
        for (const sim::Index other : {next_i * across + j, i * across + next_j, next_i * across + next_j})
          topology.springs.push_back({here, other});
      }
    const sim::Index springs = topology.springs.size();
    const sim::Points x = state().x;
    sim::Vector l0(springs);
    for (sim::Index e = 0; e < springs; ++e) {
      const auto& s = topology.springs[e];
      l0[e] = (x.col(s.i) - x.col(s.j)).norm();
    }
    std::vector<std::shared_ptr<sim::ForceTerm>> terms{
        std::make_shared<sim::SpringForce>(sim::Vector::Constant(springs, stiffness), l0),
        std::make_shared<sim::CoulombForce>(coulomb)};
    if (damping > 0) terms.push_back(std::make_shared<sim::SpringDamper>(sim::Vector::Constant(springs, damping)));
    return sim::Model(topology, sim::Vector::Constant(n, mass), sim::Vector::Constant(n, charge), terms);
  }
};

}  // namespace pithball::tests
