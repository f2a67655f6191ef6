#pragma once
#include <memory>
#include <vector>

#include "app/spec/body.hpp"
#include "sim/constraint/constraint.hpp"

namespace pithball::app {

/// Reads the list `constraints:` of an experiment (below its root): each item is the name of a constraint with its
/// settings. Throws InvalidArgument at any invalid value.
std::vector<std::shared_ptr<sim::Constraint>> read_constraints(Node& root, const Body& body);

}  // namespace pithball::app
