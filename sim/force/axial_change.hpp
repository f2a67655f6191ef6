#pragma once
#include <array>

#include "sim/force/variation.hpp"

namespace pithball::sim {

/// How the force of one spring or damper on particle i, and its opposite on j, changes along b = x_i − x_j, w = v_i −
/// v_j and up to two physical values y:
///   δf = axis (by_place·δb + by_velocity·δw + Σ by_value δy) − across δb.
struct AxialChange {
  Index i,                              ///< the force acts on this particle
      j;                                ///< and its opposite on this one
  Vec3 axis,                            ///< the direction of the force, of any length
      by_place,                         ///< part along `axis`, by b
      by_velocity = Vec3::Zero();       ///< part along `axis`, by w
  double across;                        ///< of a change of b, in any direction [N/m]
  std::array<double, 2> by_value = {};  ///< part along `axis`, by each value
  std::array<Index, 2> value = {};      ///< the values' places in the layout of `Model::values()`
};

/// Adds these changes along all directions to those of the forces, df, P×3N.
void add_change(const AxialChange&, const Directions&, Panel& df);

}  // namespace pithball::sim
