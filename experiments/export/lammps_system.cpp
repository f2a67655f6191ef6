#include "experiments/export/lammps_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/core/error.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::experiments {
namespace {

/// Collects what LAMMPS has no counterpart for, and looks at the end whether the user wants it left out.
class Missing {
 public:
  /// `name` as after --leave-out, `what` is missing, `instead`: what the exported body does.
  void add(const std::string& name, const std::string& what, const std::string& instead) {
    found_.try_emplace(name, what + ": " + instead);
  }

  std::vector<std::string> settle(const std::vector<std::string>& leave_out) const {
    std::string names, options;
    for (const auto& [name, sentence] : found_) names += (names.empty() ? "" : ", ") + name;
    for (const std::string& name : leave_out)
      if (!found_.count(name))
        throw InvalidArgument(
            {"--leave-out", "", "must name what LAMMPS has no counterpart for", "'" + name + "'",
             names.empty() ? "leave the option out: it has one for everything here" : "here it is " + names});
    names.clear();
    std::vector<std::string> sentences;
    for (const auto& [name, sentence] : found_) {
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

 private:
  std::map<std::string, std::string> found_;
};

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

bool all_zero(const sim::Model& model, const char* values) {
  const auto block = model.values().find(values);
  return block && model.values()[*block].isZero(0);
}

/// Translates the force terms one by one.
class Translation {
 public:
  explicit Translation(const ExportedMotion& motion)
      : model_(motion.model), time_(motion.states.front().t), drag_(Vector::Zero(motion.particles())) {
    const auto driven = motion.driven();
    if (std::find(driven.begin(), driven.end(), true) != driven.end())
      missing.add("driven", "driven particles", "they rest where they start");
    for (const auto& term : model_.terms()) translate(*term);
  }

  LammpsSystem system;
  Missing missing;
  bool springs = false;
  const Vector& drag() const { return drag_; }

 private:
  void translate(const sim::ForceTerm& term) {
    const std::string& name = term.traits().name;
    if (dynamic_cast<const sim::SpringForce*>(&term)) {
      springs = true;
    } else if (dynamic_cast<const sim::SpringDamper*>(&term)) {
      if (!all_zero(model_, "damping")) missing.add(name, "dampers along the springs", "springs without damping");
    } else if (const auto* coulomb = dynamic_cast<const sim::CoulombForce*>(&term)) {
      if (system.coulomb) missing.add("second_coulomb", "a second `coulomb` in the list of forces", "one counts");
      if (coulomb->softening() != 0) missing.add("softening", "softened Coulomb forces", "no softening");
      system.coulomb = true;
    } else if (const auto* gravity = dynamic_cast<const sim::Gravity*>(&term)) {
      system.gravity.push_back(gravity->acceleration(model_));
    } else if (const auto* field = dynamic_cast<const sim::ElectricField*>(&term)) {
      if (const auto uniform = field->uniform_value(model_))
        system.electric_field.push_back(*uniform);
      else
        missing.add(name, "an electric field that is not uniform", "no such field");
    } else if (const auto* point = dynamic_cast<const sim::PointCharge*>(&term)) {
      if (point->path().moves())
        missing.add(name, "a point charge on a path", "no such charge");
      else
        system.frozen.push_back({point->charge(model_), point->path().position(time_)});
    } else if (const auto* linear = dynamic_cast<const sim::LinearDrag*>(&term)) {
      drag_ += linear->coefficient(model_);
      const auto wind = linear->wind().uniform_value();
      if (!(wind && wind->isZero(0))) missing.add("wind", "the wind of linear drag", "drag in still air");
    } else if (!(dynamic_cast<const sim::QuadraticDrag*>(&term) && all_zero(model_, "quadratic_drag"))) {
      missing.add(name, name, "no such force");
    }
  }

  const sim::Model& model_;
  double time_;
  Vector drag_;
};

}  // namespace

LammpsSystem lammps_system(const ExportedMotion& motion, const std::vector<std::string>& leave_out) {
  Translation translation(motion);
  LammpsSystem& system = translation.system;
  system.left_out = translation.missing.settle(leave_out);
  const sim::Model& model = motion.model;
  std::vector<LammpsSystem::AtomType> atoms;
  for (Index i = 0; i < motion.particles(); ++i)
    atoms.push_back({model.is_held(i), model.charge()[i] != 0, model.mass()[i], translation.drag()[i]});
  system.atom_type = number(atoms, system.atom_types);
  if (translation.springs) {
    const Vector stiffness = motion.stiffness(), rest_length = motion.rest_length();
    std::vector<LammpsSystem::BondType> bonds;
    for (Index e = 0; e < stiffness.size(); ++e) bonds.push_back({stiffness[e], rest_length[e]});
    system.bond_type = number(bonds, system.bond_types);
  }
  return std::move(system);
}

LammpsBox lammps_box(const ExportedMotion& motion, const LammpsSystem& system) {
  const Points& x = motion.states.front().x;
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
