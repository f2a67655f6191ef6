#pragma once
#include "app/export/exported_motion.hpp"
#include "datasets/mesh/mesh.hpp"
#include "datasets/mesh/spring_builder.hpp"

namespace pithball::app {

/// The body at a state as a mesh to be looked at, without groups: vertices and faces, or springs where it has no faces.
inline datasets::Mesh posed_mesh(const ExportedMotion& motion, const sim::State& state) {
  datasets::Mesh mesh;
  mesh.vertices = state.x;
  mesh.faces = motion.faces;
  datasets::SpringBuilder springs;
  springs.add_faces(mesh.faces);
  if (mesh.faces.empty())
    for (const auto& [i, j] : motion.model.springs()) springs.add(i, j, "");
  springs.give_to(mesh);
  return mesh;
}

}  // namespace pithball::app
