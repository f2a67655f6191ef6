#pragma once
#include <string>

#include "app/spec/body.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {

/// Reads `integrator:` of a section, a name or `{name: settings}`; default: `sim::default_integrator`.
sim::IntegratorChoice read_integrator(Node& section, const Body& body);

/// Reads an item that is an integrator: its name or `{name: settings}`.
sim::IntegratorChoice read_named_integrator(Node& item, const Body& body);

}  // namespace pithball::app
