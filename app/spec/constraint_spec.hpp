#pragma once
#include <memory>
#include <vector>

#include "app/spec/body.hpp"
#include "sim/constraint/constraint.hpp"

namespace pithball::app {

/// The list `constraints:` of an experiment (below its root): each item is the name of a constraint, with its settings
/// below it. Throws InvalidArgument at whatever cannot be used.
std::vector<std::shared_ptr<sim::Constraint>> read_constraints(Node& root, const Body& body);

}  // namespace pithball::app
