#pragma once
// Bodies whose positions of rest are known, in any units.
#include <cmath>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/vector_field.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_force.hpp"
#include "tests/support/motions.hpp"

namespace pithball::tests {

/// Units of length, mass and time; powers of four commute with rounding.
struct Units {
  double length = 1, mass = 1, time = 1;
  double force() const { return mass * length / (time * time); }
  double stiffness() const { return mass / (time * time); }
  double charge() const { return std::sqrt(mass * length * length * length) / time; }  // Coulomb's constant stays
};

/// One unit at a time, and all at once, from 4^-20 to 4^20.
inline std::vector<Units> many_units() {
  const double small = std::pow(4, -20), large = std::pow(4, 20);
  return {{},
          {small, 1, 1},
          {large, 1, 1},
          {1, small, 1},
          {1, large, 1},
          {1, 1, small},
          {1, 1, large},
          {small, large, small},
          {large, small, large},
          {small, small, small}};
}

/// φ = ½ Σ_a k_a x_a², with exact derivatives.
struct Trap final : sim::PotentialField {
  sim::Vec3 stiffness;
  explicit Trap(const sim::Vec3& k) : stiffness(k) {}
  double potential(const sim::Vec3& x, double) const override { return x.dot(stiffness.cwiseProduct(x)) / 2; }
  sim::Vec3 value(const sim::Vec3& x, double) const override { return -stiffness.cwiseProduct(x); }
  sim::Mat3 jacobian(const sim::Vec3&, double) const override { return (-stiffness).asDiagonal(); }
};

/// Equal ions without springs in a trap [N/m].
inline sim::Model trapped_ions(sim::Index count, const sim::Vec3& stiffness, double charge, const Units& u = {}) {
  using namespace sim;
  return Model({.particles = count, .springs = {}, .held = {}}, all(count, 1e-3 * u.mass),
               all(count, charge * u.charge()),
               {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>()),
                std::make_shared<FieldPotential>(std::make_shared<Trap>(stiffness * u.stiffness()))});
}

/// Where two ions sit on an axis of stiffness k: k a = k_c q²/(2a)².
inline double ion_place(double k, double charge) {
  return std::cbrt(sim::coulomb_constant * charge * charge / (4 * k));
}

/// Two balls with ±1 µC on a triangle of springs that hangs from one pin, in a field [V/m].
inline sim::Model hanging_triangle(const sim::Vec3& field = sim::Vec3::Zero(), const Units& u = {}) {
  using namespace sim;
  Vector length(3), charge(3);
  length << std::sqrt(0.34) * u.length, std::sqrt(0.34) * u.length, 0.6 * u.length;
  charge << 0, 1e-6 * u.charge(), -1e-6 * u.charge();
  return Model({.particles = 3, .springs = {{0, 1}, {0, 2}, {1, 2}}, .held = {{0, {}}}}, all(3, u.mass), charge,
               {std::make_shared<SpringForce>(all(3, 1000 * u.stiffness()), length),
                std::make_shared<Gravity>(Vec3(0, 0, -9.81) * u.length / (u.time * u.time)),
                std::make_shared<ElectricField>(std::make_shared<UniformField>(field * u.force() / u.charge()))});
}
inline sim::Points triangle_start(const Units& u = {}) {
  return u.length * columns({{0, 0, 0}, {0.3, 0, -0.5}, {-0.3, 0, -0.5}});
}

/// A charged lattice of springs, `rows` down and `columns` across, that hangs in waves of some height [m] (in its plane
/// some springs would be pressed in line, and buckle); the first so many of its top row are pinned.
struct Curtain {
  sim::Points x;
  std::vector<sim::Spring> springs;
  sim::Index pinned;
  Curtain(sim::Index rows, sim::Index columns, sim::Index pins, double wave = 0.02)
      : x(3, rows * columns), pinned(pins) {
    for (sim::Index r = 0; r < rows; ++r)
      for (sim::Index c = 0; c < columns; ++c) {
        const sim::Index i = r * columns + c;
        const double along = c, down = r;
        x.col(i) << 0.1 * along, wave * std::sin(2 * along + down * down), -0.1 * down;
        if (c > 0) springs.push_back({i, i - 1});
        if (r > 0) springs.push_back({i, i - columns});
        if (r > 0 && c > 0) springs.push_back({i, i - columns - 1});
        if (r > 0 && c + 1 < columns) springs.push_back({i, i - columns + 1});
      }
  }
  /// Gravity along z [m/s²].
  sim::Model model(double gravity, double stiffness = 500) const {
    using namespace sim;
    Topology topology{.particles = x.cols(), .springs = springs, .held = {}};
    for (Index i = 0; i < pinned; ++i) topology.held.push_back({i, {}});
    Vector length(static_cast<Index>(springs.size()));
    for (Index e = 0; e < length.size(); ++e) {
      const Spring& s = springs[e];
      length[e] = (x.col(s.i) - x.col(s.j)).norm();
    }
    return Model(topology, all(x.cols(), 0.01), all(x.cols(), 1e-8),
                 {std::make_shared<SpringForce>(all(length.size(), stiffness), length),
                  std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>()),
                  std::make_shared<Gravity>(Vec3(0, 0, gravity))});
  }
};

}  // namespace pithball::tests
