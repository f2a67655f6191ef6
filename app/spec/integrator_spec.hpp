#pragma once
#include <string>

#include "app/spec/body.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {

/// `integrator:` of a section, a name or `{name: settings}`; `sim::default_integrator` where it is left out.
sim::IntegratorChoice read_integrator(Node& section, const Body& body);

/// An integrator where an experiment names one: the item is its name or `{name: settings}`.
sim::IntegratorChoice read_named_integrator(Node& item, const Body& body);

}  // namespace pithball::app
