#pragma once
#include <functional>
#include <optional>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// How large a body is and how finely it is divided.
struct Division {
  double size = 1;                         ///< largest extent of the mesh along x, y or z [m], > 0
  Index vertices = 500;                    ///< about so many, within a tenth; 100 to a million
  std::optional<double> edge_length = {};  ///< mean edge to aim for [m]; takes the place of `vertices`
};

/// The mesh that `make` gives for an edge length [m] that meets the division of a surface of `area` [m²]. The first
/// guess is n = 2 area / (√3 l²) vertices for edges l; what a mesh misses, the next one corrects, until edges are
/// within two per cent or five were made; the best is returned.
///
/// Throws InvalidArgument on a size or an edge length that is not finite and > 0, and if the mesh would have fewer than
/// 100 vertices (ears and sleeves would be lost) or more than a million.
Mesh divided(const Division& division, double area, const std::function<Mesh(double)>& make);

}  // namespace pithball::datasets
