#include "app/experiment/parameter_names.hpp"

#include <algorithm>
#include <set>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "optim/measurement/recording_frame.hpp"
#include "sim/constraint/constraint_registry.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {
namespace {

bool is_differentiable(const sim::ForceTerm& term) { return term.traits().differentiable; }
bool is_differentiable(const sim::Constraint& constraint) { return constraint.as<sim::DifferentiableRows>(); }

/// Returns the names of the values declared by those terms or constraints that have no derivatives.
template <class Declaring>
std::set<std::string> without_derivatives(const std::vector<std::shared_ptr<Declaring>>& all,
                                          const sim::Topology& topology) {
  sim::Values values;
  for (const auto& one : all)
    if (!is_differentiable(*one)) one->declare(topology, values);
  std::set<std::string> names;
  for (const sim::ValueBlock& block : values.blocks()) names.insert(block.name);
  return names;
}

}  // namespace

std::vector<ParameterName> parameter_names() {
  // The value blocks are read from a placeholder model that contains every term.
  KeyPage page;
  Reading reading(page);
  const std::map<std::string, std::vector<Index>> groups;
  YamlSettings settings(reading.root(), {"particle", 2, &groups}, {}, read_polygons);
  const Vector one = Vector::Ones(1);
  std::vector<std::shared_ptr<sim::ForceTerm>> terms{std::make_shared<sim::SpringForce>(one, one),
                                                     std::make_shared<sim::CubicSpring>(one),
                                                     std::make_shared<sim::SpringDamper>(one)};
  // Terms that declare a value whose name depends on their settings.
  using Weight = sim::FieldPotential::Weight;
  const auto potential = std::make_shared<sim::AnalyticPotential>("0");
  terms.push_back(std::make_shared<sim::SpringForce>(one, one, sim::SpringForce::Form::Strain));
  for (const Weight weight : {Weight::Mass, Weight::Charge})
    terms.push_back(std::make_shared<sim::FieldPotential>(potential, weight));
  for (const sim::ForceInfo& force : sim::forces())
    for (auto& term : force.make(settings)) terms.push_back(std::move(term));
  const sim::Topology pair{.particles = 2, .springs = {{0, 1}}, .held = {}};
  const auto of_forces = sim::Model(pair, Vector::Ones(2), Vector::Zero(2), terms).values().blocks().size();
  std::vector<std::shared_ptr<sim::Constraint>> constraints;
  for (const sim::ConstraintInfo& constraint : sim::constraints())
    constraints.push_back(constraint.make(settings, Points::Zero(3, 2)));
  std::set<std::string> rejected = without_derivatives(terms, pair);
  rejected.merge(without_derivatives(constraints, pair));
  const sim::Model model(pair, Vector::Ones(2), Vector::Zero(2), terms, constraints);

  std::vector<ParameterName> names;
  for (std::size_t k = 0; k < model.values().blocks().size(); ++k) {
    const sim::ValueBlock& block = model.values().block(k);
    const char* owner = block.owner == sim::ValueOwner::Particle ? "particle"
                        : block.owner == sim::ValueOwner::Spring ? "spring"
                        : k < of_forces                          ? "force"
                                                                 : "constraint";
    const auto same = [&](const ParameterName& known) { return known.name == block.name; };
    if (std::none_of(names.begin(), names.end(), same))
      names.push_back({block.name, block.unit, owner, !rejected.contains(block.name)});
  }
  names.push_back({"charge_leak_rate", "1/s", "body"});
  names.push_back({"position", "m", "particle (initial)"});
  names.push_back({"velocity", "m/s", "particle (initial)"});
  for (const optim::RecordingFrameValue& value : optim::recording_frame_values())
    names.push_back({value.name, value.unit, "recording"});
  return names;
}

}  // namespace pithball::app
