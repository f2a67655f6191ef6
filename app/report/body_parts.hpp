#pragma once
#include <nlohmann/json_fwd.hpp>

#include "app/spec/body.hpp"

namespace pithball::app {

/// Faces of the body's mesh for the key `faces` of a motion document: packed [T, 3], with polygons as fans of triangles
/// around their first corner. Null without faces.
nlohmann::ordered_json faces_of(const Body& body);

/// Groups of particles for the key `groups` of a motion document: [{name, particles: packed [n]}], without `all`.
nlohmann::ordered_json groups_of(const Body& body);

}  // namespace pithball::app
