#include "app/backend/plain_forces.hpp"

#include <nlohmann/json.hpp>

#include "sim/constraint/constraint.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

bool all_zero(const sim::Model& model, const char* values) {
  const auto block = model.values().find(values);
  return block && model.values()[*block].isZero(0);
}

}  // namespace

PlainForces::PlainForces(const sim::Model& model, double time) : drag(Vector::Zero(model.particles())) {
  for (const sim::Held& held : model.topology().held)
    if (held.path && held.path->moves()) miss("driven", "driven particles", "they stay at their initial positions");
  if (!model.key_frames().empty()) miss("key_frames", "values with key frames", "constant values as at this time");
  if (model.charge_leak()) miss("charge_leak", "charges that leak", "constant charges as at this time");
  for (const auto& constraint : model.constraints())
    miss(constraint->traits().name, "the constraint `" + constraint->traits().name + "`", "no such constraint");
  const sim::Model now = model.at(time);
  for (const auto& term : now.terms()) translate(now, *term, time);
}

void PlainForces::miss(const std::string& name, const std::string& what, const std::string& instead) {
  missing.try_emplace(name, what + ": " + instead);
}

void PlainForces::translate(const sim::Model& model, const sim::ForceTerm& term, double time) {
  const std::string& name = term.traits().name;
  if (dynamic_cast<const sim::SelectedForce*>(&term)) {
    miss("select", "`" + name + "` on selected particles", "no such force");
  } else if (dynamic_cast<const sim::SpringForce*>(&term)) {
    springs = true;
  } else if (dynamic_cast<const sim::SpringDamper*>(&term)) {
    if (!all_zero(model, "damping")) miss(name, "dampers along the springs", "springs without damping");
  } else if (dynamic_cast<const sim::CubicSpring*>(&term)) {
    if (!all_zero(model, "cubic_stiffness")) miss(name, "springs that harden", "linear springs");
  } else if (const auto* charges = dynamic_cast<const sim::CoulombForce*>(&term)) {
    if (coulomb) miss("second_coulomb", "a second `coulomb` in the list of forces", "only one is used");
    softening = charges->softening();
    coulomb = true;
  } else if (const auto* weight = dynamic_cast<const sim::Gravity*>(&term)) {
    gravity.push_back(weight->acceleration(model));
  } else if (const auto* field = dynamic_cast<const sim::ElectricField*>(&term)) {
    if (const auto uniform = field->uniform_value(model))
      electric_field.push_back(*uniform);
    else
      miss(name, "an electric field that is not uniform", "no such field");
  } else if (const auto* point = dynamic_cast<const sim::PointCharge*>(&term)) {
    if (point->moves())
      miss(name, "a point charge on a path", "no such charge");
    else
      resting_charges.push_back({point->charge(model), point->position(model, time)});
  } else if (const auto* linear = dynamic_cast<const sim::LinearDrag*>(&term)) {
    drag += linear->coefficient(model);
    const auto wind = linear->wind().uniform_value();
    if (!(wind && wind->isZero(0))) miss("wind", "the wind of linear drag", "drag in still air");
  } else if (!(dynamic_cast<const sim::QuadraticDrag*>(&term) && all_zero(model, "quadratic_drag"))) {
    miss(name, name, "no such force");
  }
}

namespace {

using nlohmann::json;

template <class Vector>
json numbers(const Vector& values) {
  json list = json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

sim::Vec3 sum(const std::vector<sim::Vec3>& vectors) {
  sim::Vec3 total = sim::Vec3::Zero();
  for (const sim::Vec3& each : vectors) total += each;
  return total;
}

}  // namespace

json rows_json(const sim::Points& points) {
  json list = json::array();
  for (sim::Index i = 0; i < points.cols(); ++i) list.push_back({points(0, i), points(1, i), points(2, i)});
  return list;
}

json body_json(const sim::Model& model, const sim::State& start) {
  const PlainForces forces(model, start.t);
  json pinned = json::array(), springs = json::array(), resting = json::array(), stiffness = json::array(),
       rest_length = json::array();
  for (const sim::Held& held : model.topology().held) pinned.push_back(held.particle);
  if (forces.springs) {
    for (const sim::Spring& spring : model.springs()) springs.push_back({spring.i, spring.j});
    const sim::SpringForce& force = *sim::find_springs(model);
    stiffness = numbers(force.stiffness(model));
    rest_length = numbers(force.rest_length(model));
  }
  for (const RestingCharge& charge : forces.resting_charges)
    resting.push_back({charge.charge, charge.position[0], charge.position[1], charge.position[2]});
  return {{"x", rows_json(start.x)},
          {"v", rows_json(start.v)},
          {"mass", numbers(model.mass())},
          {"charge", numbers(model.charge())},
          {"pinned", pinned},
          {"springs", springs},
          {"stiffness", stiffness},
          {"rest_length", rest_length},
          {"coulomb_constant", sim::coulomb_constant},
          {"coulomb", forces.coulomb},
          {"softening", forces.softening},
          {"resting_charges", resting},
          {"gravity", numbers(sum(forces.gravity))},
          {"electric_field", numbers(sum(forces.electric_field))}};
}

}  // namespace pithball::app
