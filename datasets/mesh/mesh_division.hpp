#pragma once
#include <functional>
#include <optional>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Size and resolution of a body.
struct Division {
  double size = 1;                         ///< largest extent of the mesh along x, y or z [m], > 0
  Index vertices = 500;                    ///< target number, reached within a tenth; 100 to a million
  std::optional<double> edge_length = {};  ///< target mean edge length [m]; replaces `vertices`
};

/// The mesh that `make` returns for an edge length [m] that meets the division of a surface of `area` [m²]. The first
/// guess is n = 2 area / (√3 l²) vertices for edges l; each mesh corrects the next guess, until edges are within two
/// percent or five meshes were made; returns the best.
///
/// Throws InvalidArgument on a size or an edge length that is not finite and > 0, and if the mesh would have fewer than
/// 100 vertices (ears and sleeves would be lost) or more than a million.
Mesh divided(const Division& division, double area, const std::function<Mesh(double)>& make);

}  // namespace pithball::datasets
