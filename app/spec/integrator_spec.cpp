#include "app/spec/integrator_spec.hpp"

#include "app/yaml/named.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/yaml_settings.hpp"

namespace pithball::app {
namespace {

/// The integrator with its settings; tracers are carried by integrators for first-order problems only, others are
/// rejected at `at`.
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

}  // namespace pithball::app
