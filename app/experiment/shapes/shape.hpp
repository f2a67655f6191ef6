#pragma once
#include <array>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "datasets/mesh/mesh_division.hpp"
#include "datasets/mesh/mesh_generator.hpp"
#include "sim/core/error.hpp"
#include "sim/core/registry.hpp"

namespace pithball::app {

using datasets::Mesh;

/// A shape available in `system.mesh`.
struct ShapeInfo {
  std::string name;     ///< the key: "torus"
  std::string meaning;  ///< description, with its named groups of particles and springs
  Mesh (*read)(Node);   ///< reads the settings below the key and makes the mesh
};

/// All shapes. To add one: a file in this folder with its reader, and a line in the list.
sim::Registry<ShapeInfo>& shapes();

/// A torus around the z axis.
Mesh read_torus(Node);
/// A refined icosahedron.
Mesh read_sphere(Node);
/// A rectangular cloth in the xy plane.
Mesh read_grid(Node);
/// Particles on a line, joined by springs.
Mesh read_chain(Node);
/// A prismatic truss of rings.
Mesh read_beam(Node);
/// A hollow beam, whose sections can flatten.
Mesh read_tube(Node);
/// Particles at uniformly random positions in a box, without springs.
Mesh read_random_cloud(Node);
/// Particles on a lattice in a box or a ball, without springs.
Mesh read_lattice(Node);
/// A duck, facing along x.
Mesh read_duck(Node);
/// A bunny, facing along x.
Mesh read_bunny(Node);
/// A closed mesh around given parts.
Mesh read_implicit(Node);
/// A t-shirt sewn from a flat pattern, upright in the xz plane.
Mesh read_tshirt(Node);

// Functions for the readers:

/// A placeholder mesh for describing keys: two points and a spring.
Mesh placeholder_mesh();

/// Runs a generator; its errors, which contain only the shape's name, get the place of the node.
template <class Shape>
Mesh made(const Node& node, const Shape& shape, Mesh (*make)(const Shape&)) {
  return node.located_or(placeholder_mesh(), "", [&] {
    try {
      return make(shape);
    } catch (const InvalidArgument& error) {
      throw error.at("");
    }
  });
}

/// The key `diagonals`: one or both of each quadrilateral; `fallback` is the default as written in a file.
datasets::Diagonals read_diagonals(Node& node, const char* fallback);

/// Two integers [a, b], each at least `least`.
std::array<Index, 2> read_pair(Node& node, const char* key, const char* meaning, std::array<Index, 2> fallback,
                               Index least);

/// The keys `size`, `vertices` and `edge_length`, with defaults for the first two; a size of 0 means none.
datasets::Division read_division(Node& node, datasets::Division fallback);

}  // namespace pithball::app
