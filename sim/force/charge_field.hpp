#pragma once
#include <limits>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Charges at rest, at one time: those of a model, or of other particles, such as emitted ones.
struct SourceCharges {
  double t = 0;   ///< [s]
  Points x;       ///< positions [m], 3×N
  Vector charge;  ///< [C], N
};

/// Electric field and potential at M points: force and potential energy of a test charge there, per charge.
struct ChargeField {
  Points field;               ///< E [V/m], 3×M
  Vector potential;           ///< φ [V], M; where there is one, E = −∇φ
  bool has_potential = true;  ///< false once a part without a potential was added: `potential` is then meaningless

  /// A field of zero at this number of points.
  static ChargeField zero(Index points) { return {Points::Zero(3, points), Vector::Zero(points)}; }
  /// Marks a point at which there is no value, with NaN.
  void clear(Index point) {
    field.col(point).setConstant(std::numeric_limits<double>::quiet_NaN());
    potential[point] = std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace pithball::sim
