#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

namespace pithball::datasets {

using sim::Index;
using sim::Points;
using sim::Vec3;

/// Vertices, the springs between them, and groups of both: the result of readers and generators.
struct Mesh {
  Points vertices;                        ///< [m], 3×N; column i is vertex i of the file, never merged or reordered
  std::vector<std::vector<Index>> faces;  ///< polygons, for drawing; may be empty
  std::vector<sim::Spring> springs;       ///< unique, i < j, sorted
  std::map<std::string, std::vector<Index>> vertex_groups;  ///< from generators: "ring0", "top", …
  std::map<std::string, std::vector<Index>>
      spring_groups;  ///< "stretch", "shear", "bend", "longitudinal", …: spring indices
  /// Length of each spring in the flat sewing pattern [m]; empty without a pattern.
  Eigen::VectorXd pattern_lengths;
  /// Rest length of each spring in this geometry [m].
  Eigen::VectorXd spring_lengths() const;
};

}  // namespace pithball::datasets
