#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Faces as they are drawn, with any number of corners.
struct Polygons {
  Points vertices;                        ///< [m], 3×V
  std::vector<std::vector<Index>> faces;  ///< vertex numbers, counter-clockwise seen from outside
};

}  // namespace pithball::sim
