#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// Description of a mesh for people and for programs.
struct MeshDescription {
  std::string text;             ///< lines, each with its end
  nlohmann::ordered_json json;  ///< the same
};

/// Numbers of vertices, faces and springs, extent, pieces, vertices at one place, lengths, groups and notes of a mesh;
/// `name`: what it is called.
MeshDescription describe_mesh(const std::string& name, const datasets::Mesh& mesh,
                              const std::vector<std::string>& notes);

/// Whether a file's extension is that of a mesh.
bool is_mesh_file(const std::string& file);

/// `describe_mesh` for a mesh file, with a note on vertices at one place. Throws InvalidArgument as `read_mesh`.
MeshDescription describe_mesh_file(const std::string& file);

}  // namespace pithball::app
