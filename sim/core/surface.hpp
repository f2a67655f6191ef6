#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Polygonal faces with any number of corners, as for drawing.
struct Polygons {
  Points vertices;                        ///< [m], 3×V
  std::vector<std::vector<Index>> faces;  ///< vertex numbers, counterclockwise seen from outside
};

class Settings;

/// A surface of triangles.
struct Surface {
  Points vertices;                              ///< [m], 3×V
  std::vector<std::array<Index, 3>> triangles;  ///< vertex numbers, counterclockwise seen from outside
};

/// The same faces as triangles, each polygon as a fan from its first corner.
Surface triangulated(const Polygons&);

/// The surface of the mesh at a key, written as `system.mesh` is; polygons are triangulated. Rejects a mesh without
/// faces.
Surface ask_surface(Settings& settings, std::string_view key, std::string_view meaning);

}  // namespace pithball::sim
