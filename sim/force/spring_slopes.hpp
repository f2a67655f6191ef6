#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// The derivatives of the force of one spring between two particles, f(b, s, l0) on i along b = x_i − x_j:
///   ∂f/∂b = −(across I + along b bᵀ),   ∂f/∂s = by_strength b,   ∂f/∂l0 = by_rest_length b.
struct SpringSlopes {
  Vec3 b;              ///< [m]
  double across,       ///< [N/m]
      along,           ///< [N/m³]
      by_strength,     ///< of its stiffness s; 0 where b = 0
      by_rest_length;  ///< [N/m²]; 0 where b = 0

  /// df for changes of b, s and l0.
  Vec3 change(const Vec3& db, double ds, double dl0) const {
    const double factor = by_strength * ds + by_rest_length * dl0 - along * b.dot(db);
    return factor * b - across * db;
  }

  /// The gradient of u·f by b; `part` is b·u.
  Vec3 gradient(const Vec3& u, double part) const { return -across * u - along * part * b; }
};

}  // namespace pithball::sim
