#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "datasets/mesh/mesh_division.hpp"
#include "datasets/mesh/mesh_generator.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

using datasets::Mesh;

/// A shape available in `system.mesh`.
struct ShapeInfo {
  std::string name;     ///< the key: "torus"
  std::string meaning;  ///< description, with its named groups of particles and springs
  Mesh (*read)(Node);   ///< reads the settings below the key and makes the mesh
};

/// All shapes. To add one: a file in this folder with its reader, and a line in the list.
const std::vector<ShapeInfo>& shapes();

Mesh read_torus(Node);
Mesh read_sphere(Node);
Mesh read_grid(Node);
Mesh read_chain(Node);
Mesh read_beam(Node);
Mesh read_tube(Node);
Mesh read_random_cloud(Node);
Mesh read_lattice(Node);
Mesh read_duck(Node);
Mesh read_bunny(Node);
Mesh read_implicit(Node);
Mesh read_tshirt(Node);

// Functions for the readers:

/// A placeholder mesh for describing keys: two points and a spring.
Mesh placeholder_mesh();

/// Runs a generator; its errors, which contain only the shape's name, get the place of the node.
template <class Shape>
Mesh made(const Node& node, const Shape& shape, Mesh (*make)(const Shape&)) {
  if (node.describing()) return placeholder_mesh();
  return node.located("", [&] {
    try {
      return make(shape);
    } catch (const InvalidArgument& error) {
      throw error.at("");
    }
  });
}

datasets::Diagonals read_diagonals(Node& node, const char* fallback);

/// Two integers [a, b], each at least `least`.
std::array<Index, 2> read_pair(Node& node, const char* key, const char* meaning, std::array<Index, 2> fallback,
                               Index least);

/// The keys `size`, `vertices` and `edge_length`, with defaults for the first two; a size of 0 means none.
datasets::Division read_division(Node& node, datasets::Division fallback);

}  // namespace pithball::app
