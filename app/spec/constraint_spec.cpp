#include "app/spec/constraint_spec.hpp"

#include "app/spec/mesh_source.hpp"
#include "app/yaml/named.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/constraint/constraint_registry.hpp"

namespace pithball::app {

std::vector<std::shared_ptr<sim::Constraint>> read_constraints(Node& root, const Body& body) {
  std::vector<std::shared_ptr<sim::Constraint>> constraints;
  for (Node& item : root.items("constraints",
                               "conditions on positions, enforced by `integrator: xpbd`: a list of `name: settings`")) {
    const auto add = [&](const sim::ConstraintInfo& constraint, Node settings) {
      YamlSettings reader(std::move(settings), body.particles(), body.edge_space(), read_polygons);
      constraints.push_back(item.located("", [&] { return constraint.make(reader, body.mesh.vertices); }));
    };
    if (item.describing()) {
      for (const sim::ConstraintInfo& constraint : sim::constraints()) {
        item.document(constraint.name, "constraint", "optional", constraint.summary);
        add(constraint, item.form(constraint.name));
      }
      continue;
    }
    const Named named =
        read_named(item, "constraint", names_of(sim::constraints()), "begin each constraint with its own dash");
    for (const sim::ConstraintInfo& constraint : sim::constraints())
      if (constraint.name == named.name) add(constraint, named.settings);
  }
  return constraints;
}

}  // namespace pithball::app
