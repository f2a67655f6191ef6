#include "datasets/mesh/mesh_reader.hpp"

#include "fuzz/target.hpp"

/// `kind`: the ending of the file's name, ".ply".
void pithball::fuzz::mesh(std::string_view bytes, const std::string& kind) {
  const datasets::Mesh read = datasets::read_mesh(as_file(bytes, "input" + kind));
  const datasets::Index vertices = read.vertices.cols();
  require(vertices > 0 && read.vertices.allFinite(), "a mesh has vertices at finite places");
  for (const sim::Spring& spring : read.springs)
    require(0 <= spring.i && spring.i < spring.j && spring.j < vertices, "springs tie two vertices of the mesh");
  for (const auto& face : read.faces)
    for (const datasets::Index corner : face) require(0 <= corner && corner < vertices, "corners are vertices");
}
