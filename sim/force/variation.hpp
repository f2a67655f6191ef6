#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// A direction in the space of all arguments of the forces, or a gradient with respect to them.
struct Variation {
  Points x;       ///< δx [m] or ∂L/∂x, 3×N
  Points v;       ///< δv [m/s] or ∂L/∂v, 3×N
  Vector values;  ///< δ of the model's physical values or ∂L/∂values, in the layout of `Model::values()`

  /// No change at all: 3×N zeros for `particles` N, and as many zeros as the model has values.
  static Variation zero(Index particles, Index values) {
    return {Points::Zero(3, particles), Points::Zero(3, particles), Vector::Zero(values)};
  }
};

}  // namespace pithball::sim
