#pragma once
#include <memory>
#include <string_view>

#include "app/yaml/node.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::app {

/// Reads a field [unit] from the file of numbers that the node's `table` names, with the units, the place and the time
/// of it: two columns s, φ along a line or four x, y, z, φ on a regular grid, u = −∇φ.
std::shared_ptr<const sim::VectorField> read_tabulated_field(Node& field, std::string_view unit);

}  // namespace pithball::app
