#include "app/experiment/dynamics_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/node.hpp"
#include "app/yaml/particle_list.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/constraint/constraint_registry.hpp"
#include "sim/core/error.hpp"
#include "sim/force/chain_bending.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/selected_force.hpp"

namespace pithball::app {
namespace {

/// Reads the particles that a force acts on, in ascending order; empty: all.
std::vector<Index> read_selected(Node& item, const Body& body) {
  const ItemSpace space = body.particles();
  std::vector<Index> selected =
      read_particles(item, "select", "particles that feel the force, and between which it acts (default: all)",
                     space.count, *space.groups);
  item.require(!selected.empty() || !item.has("select"), "select", "must select at least one particle", "none",
               "omit it to select all, or remove the force");
  std::sort(selected.begin(), selected.end());
  return selected;
}

/// Restricts a force to these particles. A force that joins specific particles, like bending, cannot be restricted.
std::shared_ptr<sim::ForceTerm> selected_force(Node& item, std::shared_ptr<sim::ForceTerm> term,
                                               const std::vector<Index>& selected) {
  if (const auto* stiff = term->as<sim::StiffPotential>(); stiff && !stiff->couplings().empty())
    item.reject("select", "must not be given for a force that joins particles of the mesh", term->traits().name,
                "leave it out; the force's own keys choose a part");
  return std::make_shared<sim::SelectedForce>(std::move(term), selected);
}

/// Whether two trees have the same content, regardless of their positions in files.
bool says_same(const Tree& a, const Tree& b) {
  return a.kind == b.kind && a.text == b.text &&
         std::ranges::equal(a.entries, b.entries,
                            [](const Tree& x, const Tree& y) { return x.key == y.key && says_same(x, y); });
}

bool share_particles(const std::vector<Index>& a, const std::vector<Index>& b) {
  if (a.empty() || b.empty()) return true;  // all
  return std::ranges::any_of(a, [&](const Index particle) { return std::ranges::binary_search(b, particle); });
}

/// Whether the second of two entries of the same force repeats the first: it acts on some of the same particles, with
/// the same law.
bool repeats(const ListedForce& a, const ListedForce& b) {
  if (a.name != b.name || !share_particles(a.selected, b.selected)) return false;
  if (says_same(a.settings, b.settings)) return true;
  return sim::forces().at(a.name).is_single &&
         std::ranges::any_of(a.terms, [&](const std::string& term) { return std::ranges::count(b.terms, term) > 0; });
}

}  // namespace

std::vector<std::string> ForceList::notes() const {
  std::vector<std::string> notes;
  std::vector<bool> is_noted(items.size(), false);
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::size_t times = 1;
    for (std::size_t j = i + 1; j < items.size(); ++j)
      if (!is_noted[j] && repeats(items[i], items[j])) {
        is_noted[j] = true;
        ++times;
      }
    if (times > 1 && !is_noted[i])
      notes.push_back(fmt::format("{} is listed {}: {} act", items[i].name,
                                  times == 2 ? "twice" : fmt::format("{} times", times), times == 2 ? "both" : "all"));
  }
  for (const ListedForce& item : items) {
    const auto replaced = std::ranges::find_if(items, [&](const ListedForce& other) {
      return other.name == sim::forces().at(item.name).replaces && share_particles(item.selected, other.selected);
    });
    const std::string note = replaced == items.end()
                                 ? ""
                                 : fmt::format(
                                       "{} is listed beside {}, which is the same force with other settings: "
                                       "both act",
                                       item.name, replaced->name);
    if (!note.empty() && std::ranges::count(notes, note) == 0) notes.push_back(note);
  }
  return notes;
}

ForceList read_forces(Node& root, const Body& body) {
  ForceList list;
  const sim::Polygons drawn{body.mesh.vertices, body.mesh.faces};
  const auto add = [&](Node& item, const sim::ForceInfo& force, Node settings, ListedForce& listed) {
    YamlSettings reader(std::move(settings), body.particles(), body.edge_space(), read_polygons, &drawn);
    for (auto& term : force.make(reader)) {
      listed.terms.push_back(term->traits().name);
      if (!listed.selected.empty()) term = selected_force(item, std::move(term), listed.selected);
      list.terms.push_back(std::move(term));
    }
  };
  for (Node& item : root.items("forces", "forces in addition to the springs: a list of `name: settings`")) {
    if (item.describing()) {
      for (const sim::ForceInfo& force : sim::forces()) {
        item.document(force.name, "force", "optional", force.summary);
        ListedForce any;
        add(item, force, item.form(force.name), any);
      }
      read_selected(item, body);
      continue;
    }
    const Named named = read_named(item, "force", names_of(sim::forces()),
                                   "begin each force with its own dash; only `select` may stand beside it", "select");
    ListedForce listed{.name = named.name, .settings = {}, .selected = {}, .terms = {}};
    if (named.settings.tree()) listed.settings = *named.settings.tree();
    if (!item.is_scalar()) listed.selected = read_selected(item, body);
    add(item, sim::forces().at(named.name), named.settings, listed);
    list.items.push_back(std::move(listed));
  }
  for (auto& joint : sim::make_chain_joints(list.terms, body.mesh.vertices)) list.terms.push_back(std::move(joint));
  return list;
}

std::vector<std::shared_ptr<sim::Constraint>> read_constraints(Node& root, const Body& body) {
  std::vector<std::shared_ptr<sim::Constraint>> constraints;
  const NamedItems list{"constraints",
                        "conditions on positions, enforced by `integrator: xpbd`: a list of `name: settings`",
                        "constraint", "begin each constraint with its own dash"};
  read_named_items(
      root, list, sim::constraints(), [&](const Node& item, const sim::ConstraintInfo& constraint, Node settings) {
        YamlSettings reader(std::move(settings), body.particles(), body.edge_space(), read_polygons);
        constraints.push_back(item.located("", [&] { return constraint.make(reader, body.mesh.vertices); }));
      });
  return constraints;
}

namespace {

/// Returns the integrator with its settings. Tracers need an integrator for first-order problems; any other is
/// rejected, with the position of `at`.
sim::IntegratorChoice with_settings(const std::string& name, Node settings, const Body& body, const Node& at) {
  YamlSettings reader(std::move(settings), body.particles());
  sim::IntegratorChoice integrator(name, reader);
  if (!body.flow || integrator.info().supports.tracers) return integrator;
  std::vector<std::string> able;
  for (const sim::IntegratorInfo& info : sim::integrators())
    if (info.supports.tracers) able.push_back(info.name);
  at.reject("",
            "must be an integrator for first-order equations, because tracers have no velocity, one of " + joined(able),
            name, "write `integrator: rk4`");
}

}  // namespace

sim::IntegratorChoice read_integrator(Node& section, const Body& body) {
  const std::vector<std::string> known = names_of(sim::integrators());
  const std::string fallback = sim::default_integrator;
  section.document("integrator", "one of " + joined(known) + "; or {name: settings}", fallback,
                   "integrator; see `pithball list integrators`");
  Node item = section.form("integrator");
  if (item.describing()) {
    for (const std::string& name : known) with_settings(name, item.form(name), body, item);
    return fallback;
  }
  if (section.has("integrator")) return read_named_integrator(item, body);
  section.fill("integrator", fallback);
  return with_settings(fallback, item.without_value(fallback), body, item);
}

sim::IntegratorChoice read_named_integrator(Node& item, const Body& body) {
  const Named named =
      read_named(item, "integrator", names_of(sim::integrators()), "write its name, or `{name: settings}`");
  if (!item.is_scalar() && !named.settings.is_map())
    item.reject(named.name, "must be a mapping of settings", shown(item.tree()->entries.front()),
                "write the name alone, or `{name: {setting: value}}`");
  return with_settings(named.name, named.settings, body, item);
}

namespace {

/// Reads the names of attributes, and their values for the initial particles.
void read_attributes(Node& population, sim::PopulationRules& rules) {
  // Names reserved by trajectory files, tables, archives and the report page.
  static const std::set<std::string> taken{
      "position",  "velocity", "force",  "mass",    "charge", "id",        "like",       "birth_time", "death_time",
      "age",       "box",      "image",  "species", "time",   "particle",  "x",          "y",          "z",
      "vx",        "vy",       "vz",     "times",   "steps",  "positions", "velocities", "springs",    "rest_length",
      "stiffness", "pinned",   "driven", "speed",   "held",   "strain"};
  const auto is_name = [](const std::string& text) {
    const auto usual = [](char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && usual(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return usual(c) || (c >= '0' && c <= '9'); });
  };
  Node attributes = population.child(
      "attributes",
      "named numbers of each particle that are written to the run folder; they have no effect on the motion");
  for (auto& [name, entry] : attributes.entries("NAME")) {
    if (taken.contains(name) || !is_name(name))
      entry.reject("", "must be an unused name of letters, digits and _", "'" + name + "'",
                   "choose another name; names such as position, mass and age are reserved");
    rules.attributes.push_back(name);
    rules.initial_attributes.push_back(entry.number("", "", "value of the attribute for the particles of the body"));
  }
}

/// Returns the regions that can be used so.
std::vector<sim::RegionInfo> regions_that(bool sim::RegionInfo::*usable) {
  std::vector<sim::RegionInfo> known;
  std::ranges::copy_if(sim::regions(), std::back_inserter(known), usable);
  return known;
}

void read_rules(Node population, const Body& body, const diff::Scenario& run, sim::PopulationRules& rules) {
  rules.seed = population.integer("seed", "seed of all random numbers of emitters and sinks", 0);
  read_attributes(population, rules);
  const auto read_emitter = [&](const Node&, const sim::RegionInfo& region, Node settings) {
    YamlSettings reader(settings, body.particles());
    sim::Emitter emitter = sim::Emitter::read(region, reader);
    constexpr double most = 1e9;  // more than fits into any memory
    const double last = run.initial.t + run.time_step * run.steps;
    if (emitter.rate * (std::min(emitter.end, last) - emitter.start) > most)
      settings.reject("rate", "must emit at most 1e9 particles in the run", fmt::format("{} 1/s", emitter.rate),
                      "lower it, or shorten the time between `start` and `end`");
    Node attributes = settings.child("attributes", "attributes of emitted particles (default: as the body's)");
    for (std::size_t a = 0; a < rules.attributes.size(); ++a)
      emitter.attributes.push_back(
          attributes.number(rules.attributes[a], "", "value of the attribute", rules.initial_attributes[a]));
    rules.emitters.push_back(std::move(emitter));
  };
  const auto read_sink = [&](const Node&, const sim::RegionInfo& region, Node settings) {
    YamlSettings reader(std::move(settings), body.particles());
    rules.sinks.push_back(sim::Sink::read(region, reader));
  };
  read_named_items(
      population,
      {"emitters", "emitters: a list of `region: settings`", "emitter", "begin each emitter with its own dash"},
      regions_that(&sim::RegionInfo::emits), read_emitter);
  read_named_items(population,
                   {"sinks", "sinks: a list of `region: settings`", "sink", "begin each sink with its own dash"},
                   regions_that(&sim::RegionInfo::takes), read_sink);
}

}  // namespace

std::optional<sim::PopulationRules> read_population(Node& root, const Body& body, const diff::Scenario& scenario) {
  if (!root.applies(root.is_written("population"))) return {};
  sim::PopulationRules rules;
  read_rules(root.child("population", "emitters and sinks: particles that are added and removed during a run"), body,
             scenario, rules);
  if (root.describing()) return {};
  const auto reject = [&](const std::string& required, const std::string& got, const std::string& remedy) {
    root.reject("population", required, got, remedy);
  };
  if (scenario.integrator.info().startup_steps > 0)
    reject("requires an integrator without a step history", scenario.integrator.name(),
           "use velocity_verlet or imex_midpoint");
  if (!scenario.model.key_frames().empty())
    reject("must not be given together with key_frames", "both", "remove one of them");
  if (scenario.model.charge_leak())
    reject("must not be given together with system.charge_leak", "both", "remove one of them");
  root.located("population", [&] { sim::Population(rules, scenario.model, scenario.initial.t); });
  return rules;
}

}  // namespace pithball::app
