#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::app {

/// A mesh for people and for programs.
struct MeshDescription {
  std::string text;             ///< lines, each with its end
  nlohmann::ordered_json json;  ///< the same
};

/// Numbers of vertices, faces and springs, extent, pieces, vertices at one place, lengths, groups and notes of a mesh;
/// `name`: what it is called.
MeshDescription describe_mesh(const std::string& name, const datasets::Mesh& mesh,
                              const std::vector<std::string>& notes);

/// Whether a file's name ends as those of meshes do.
bool is_mesh_file(const std::string& file);

/// What `describe_mesh` says of a mesh file; vertices at one place get a note. Throws InvalidArgument as `read_mesh`.
MeshDescription describe_mesh_file(const std::string& file);

}  // namespace pithball::app
