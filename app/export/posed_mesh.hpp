#pragma once
#include "app/export/exported_motion.hpp"
#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// The body at a state as a mesh: vertices, faces and springs, without groups.
inline datasets::Mesh posed_mesh(const ExportedMotion& motion, const sim::State& state) {
  return {.vertices = state.x,
          .faces = motion.faces,
          .springs = motion.model.springs(),
          .vertex_groups = {},
          .spring_groups = {},
          .pattern_lengths = {}};
}

}  // namespace pithball::app
