#include "app/spec/population_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "app/yaml/named.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// The names of attributes, with what the first particles have.
void read_attributes(Node& population, sim::PopulationRules& rules) {
  // Names that a trajectory file, a table, an archive or the page of a report uses itself.
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
    if (!population.describing() && (taken.contains(name) || !is_name(name)))
      entry.reject("", "must be an unused name of letters, digits and _", "'" + name + "'",
                   "choose another name; names such as position, mass and age are reserved");
    rules.attributes.push_back(name);
    rules.initial_attributes.push_back(entry.number("", "", "value of the attribute for the particles of the body"));
  }
}

/// Reads the list below a key, whose items are regions of one use with the settings of what stands there.
template <class Read>
void read_list(Node& population, const char* key, const char* meaning, const char* kind, bool sim::RegionInfo::*usable,
               Read read) {
  std::vector<sim::RegionInfo> known;
  std::ranges::copy_if(sim::regions(), std::back_inserter(known), usable);
  for (Node& item : population.items(key, meaning)) {
    if (item.describing()) {
      for (const sim::RegionInfo& region : known) {
        item.document(region.name, kind, "optional", region.summary);
        read(region, item.form(region.name));
      }
      continue;
    }
    Named named = read_named(item, kind, names_of(known), std::string("begin each ") + kind + " with its own dash");
    const auto region = std::ranges::find(known, named.name, &sim::RegionInfo::name);
    read(*region, std::move(named.settings));
  }
}

void read_rules(Node population, const Body& body, const diff::Scenario& run, sim::PopulationRules& rules) {
  rules.seed = population.integer("seed", "seed of all random numbers of emitters and sinks", 0);
  read_attributes(population, rules);
  const auto read_emitter = [&](const sim::RegionInfo& region, Node settings) {
    YamlSettings reader(settings, body.particles());
    sim::Emitter emitter = sim::Emitter::read(region, reader);
    constexpr double most = 1e9;  // more than any memory holds
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
  const auto read_sink = [&](const sim::RegionInfo& region, Node settings) {
    YamlSettings reader(std::move(settings), body.particles());
    rules.sinks.push_back(sim::Sink::read(region, reader));
  };
  read_list(population, "emitters", "emitters: a list of `region: settings`", "emitter", &sim::RegionInfo::emits,
            read_emitter);
  read_list(population, "sinks", "sinks: a list of `region: settings`", "sink", &sim::RegionInfo::takes, read_sink);
}

}  // namespace

std::optional<sim::PopulationRules> read_population(Node& root, const Body& body, const diff::Scenario& scenario) {
  if (!root.describing() && !root.is_written("population")) return {};
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
