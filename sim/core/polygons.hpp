#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Polygonal faces with any number of corners, as for drawing.
struct Polygons {
  Points vertices;                        ///< [m], 3×V
  std::vector<std::vector<Index>> faces;  ///< vertex numbers, counterclockwise seen from outside
};

}  // namespace pithball::sim
