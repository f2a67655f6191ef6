#include "experiments/export/lammps_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::experiments {
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

std::vector<std::string> settle_missing(const LammpsSystem& system, const std::vector<std::string>& leave_out) {
  std::string names, options;
  for (const auto& [name, sentence] : system.missing) names += (names.empty() ? "" : ", ") + name;
  for (const std::string& name : leave_out)
    if (!system.missing.count(name))
      throw InvalidArgument(
          {"--leave-out", "", "must name what LAMMPS has no counterpart for", "'" + name + "'",
           names.empty() ? "leave the option out: it has one for everything here" : "here it is " + names});
  names.clear();
  std::vector<std::string> sentences;
  for (const auto& [name, sentence] : system.missing) {
    sentences.push_back(sentence);
    if (std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    names += (names.empty() ? "" : ", ") + name;
    options += " --leave-out " + name;
  }
  if (!names.empty())
    throw InvalidArgument({"--format lammps", "", "needs a model that LAMMPS has counterparts for", names,
                           "export without it by" + options + "; the deck will say so"});
  return sentences;
}

LammpsSystem lammps_system(const ExportedMotion& motion) {
  const sim::Model& model = motion.model;
  const PlainForces forces(model, motion.time.front());
  LammpsSystem system;
  system.missing = forces.missing;
  if (forces.softening != 0) system.missing.emplace("softening", "softened Coulomb forces: no softening");
  system.coulomb = forces.coulomb;
  system.frozen = forces.resting_charges;
  system.gravity = forces.gravity;
  system.electric_field = forces.electric_field;
  std::vector<LammpsSystem::AtomType> atoms;
  for (Index i = 0; i < motion.particles(); ++i)
    atoms.push_back({model.is_held(i), model.charge()[i] != 0, model.mass()[i], forces.drag[i]});
  system.atom_type = number(atoms, system.atom_types);
  if (forces.springs) {
    const Vector stiffness = motion.stiffness(), rest_length = motion.rest_length();
    std::vector<LammpsSystem::BondType> bonds;
    for (Index e = 0; e < stiffness.size(); ++e) bonds.push_back({stiffness[e], rest_length[e]});
    system.bond_type = number(bonds, system.bond_types);
  }
  return system;
}

LammpsBox lammps_box(const ExportedMotion& motion, const LammpsSystem& system) {
  const Points& x = motion.first.state.x;
  sim::Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  for (const auto& charge : system.frozen) {
    low = low.cwiseMin(charge.position);
    high = high.cwiseMax(charge.position);
  }
  const double extent = (high - low).maxCoeff();
  return {(low + high) / 2, extent > 0 ? 1.1 * extent : 1.0};
}

Index lammps_substeps(const ExportedMotion& motion) {
  if (motion.integrator == "velocity_verlet") return 1;
  const Vector stiffness = motion.stiffness();
  Vector sum = Vector::Zero(motion.particles());
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    sum[spring.i] += stiffness[e];
    sum[spring.j] += stiffness[e++];
  }
  const double frequency = std::sqrt((2 * sum.array() / motion.model.mass().array()).maxCoeff());
  return std::max<Index>(1, static_cast<Index>(std::ceil(motion.time_step * frequency)));
}

}  // namespace pithball::experiments
