#include <fmt/format.h>

#include "app/export/export_format.hpp"
#include "app/export/mesh_writer.hpp"

namespace pithball::app {

ExportResult export_obj(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  datasets::Mesh mesh = posed_mesh(motion, motion.first.state);
  datasets::H5mdPages states = motion.states();
  const auto name = [&](std::size_t k) { return fmt::format("{}_{:05}.obj", motion.name, k); };
  for (std::size_t k = 0; k < states.size(); ++k) {
    mesh.vertices = states[k].state.x;
    folder.write(name(k), mesh_text(mesh, ".obj"));
    progress.update(k + 1);
  }
  return {name(0), {}};
}

}  // namespace pithball::app
