#include "app/backend/lammps_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

/// Numbers distinct entries from 1, in ascending order of the entries, so that the numbering is no accident.
template <class Entry>
std::vector<std::size_t> number(const std::vector<Entry>& entries, std::vector<Entry>& distinct) {
  distinct = entries;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::size_t> numbers;
  for (const Entry& entry : entries)
    numbers.push_back(
        1 + static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), entry) - distinct.begin()));
  return numbers;
}

}  // namespace

LammpsSystem lammps_system(const LammpsMotion& motion) {
  const sim::Model& model = motion.model;
  const PlainForces forces(model, motion.start.t);
  LammpsSystem system;
  system.missing = forces.missing;
  if (forces.softening != 0) system.missing.emplace("softening", "softened Coulomb forces: no softening");
  system.coulomb = forces.coulomb;
  system.frozen = forces.resting_charges;
  system.gravity = forces.gravity;
  system.electric_field = forces.electric_field;
  std::vector<LammpsSystem::AtomType> atoms;
  for (Index i = 0; i < model.particles(); ++i)
    atoms.push_back({model.is_held(i), model.charge()[i] != 0, model.mass()[i], forces.drag[i]});
  system.atom_type = number(atoms, system.atom_types);
  if (forces.springs) {
    const sim::SpringForce& springs = *sim::find_springs(model);
    const Vector stiffness = springs.stiffness(model), rest_length = springs.rest_length(model);
    std::vector<LammpsSystem::BondType> bonds;
    for (Index e = 0; e < stiffness.size(); ++e) bonds.push_back({stiffness[e], rest_length[e]});
    system.bond_type = number(bonds, system.bond_types);
  }
  return system;
}

LammpsBox lammps_box(const LammpsMotion& motion, const LammpsSystem& system) {
  const Points& x = motion.start.x;
  sim::Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  for (const auto& charge : system.frozen) {
    low = low.cwiseMin(charge.position);
    high = high.cwiseMax(charge.position);
  }
  const double extent = (high - low).maxCoeff();
  return {(low + high) / 2, extent > 0 ? 1.1 * extent : 1.0};
}

Index lammps_substeps(const LammpsMotion& motion) {
  if (motion.integrator == "velocity_verlet") return 1;
  const sim::SpringForce* springs = sim::find_springs(motion.model);
  if (!springs) return 1;
  const Vector stiffness = springs->stiffness(motion.model);
  Vector sum = Vector::Zero(motion.model.particles());
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    sum[spring.i] += stiffness[e];
    sum[spring.j] += stiffness[e++];
  }
  const double frequency = std::sqrt((2 * sum.array() / motion.model.mass().array()).maxCoeff());
  return std::max<Index>(1, static_cast<Index>(std::ceil(motion.time_step * frequency)));
}

}  // namespace pithball::app
