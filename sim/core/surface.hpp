#pragma once
#include <array>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A surface of triangles.
struct Surface {
  Points vertices;                              ///< [m], 3×V
  std::vector<std::array<Index, 3>> triangles;  ///< vertex numbers, counter-clockwise seen from outside
};

}  // namespace pithball::sim
