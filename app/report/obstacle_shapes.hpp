#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// The planes, boxes and spheres in `forces` (penalty forces) and `constraints` of a filled experiment document, for
/// the key `obstacles` of a motion document: {plane: {point, normal}}, {box: {min, max}} or {sphere: {center, radius}}
/// [m].
nlohmann::ordered_json obstacle_shapes(const Tree& document);

}  // namespace pithball::app
