#include "app/backend/body_json.hpp"

#include <nlohmann/json.hpp>

#include "app/backend/plain_forces.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
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
