#pragma once
#include "sim/core/types.hpp"
#include "sim/force/axial_change.hpp"
#include "sim/force/spring_loops.hpp"
#include "sim/linear/block_matrix.hpp"

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

  /// The same along several directions, for the spring between i and j whose s and l0 are these physical values.
  AxialChange between(Index i, Index j, Index strength, Index rest_length) const {
    return {.i = i,
            .j = j,
            .axis = b,
            .by_place = -along * b,
            .across = across,
            .by_value = {by_strength, by_rest_length},
            .value = {strength, rest_length}};
  }

  /// The gradient of u·f with respect to b; `part` is b·u.
  Vec3 gradient(const Vec3& u, double part) const { return -across * u - along * part * b; }
};

/// The derivatives of the force of one damper between two particles, f = −c (w·e) e on i with e = b/|b|, b = x_i − x_j
/// and w = v_i − v_j:
///   δf = −e [c e·δw + (w·e) δc + c (w·δb − 2 (w·e) e·δb)/|b|] − c (w·e)/|b| δb;   0 where b = 0.
struct DamperSlopes {
  Vec3 e = Vec3::Zero(),  ///< unit, or 0
      by_place = e;       ///< c (w − 2 (w·e) e)/|b| [N/m]
  double c = 0,           ///< [N s/m]
      along = 0,          ///< w·e [m/s]
      across = 0;         ///< c (w·e)/|b| [N/m]

  /// The derivatives at b and w.
  DamperSlopes(const Vec3& b, const Vec3& w, double damping) : c(damping) {
    const double l = b.norm();
    if (l == 0) return;
    e = b / l;
    along = w.dot(e);
    by_place = c / l * (w - 2 * along * e);
    across = c * along / l;
  }

  /// δf.
  Vec3 change(const Vec3& db, const Vec3& dw, double dc) const {
    return -(c * e.dot(dw) + along * dc + by_place.dot(db)) * e - across * db;
  }

  /// The same along several directions, for the damper between i and j; c does not change.
  AxialChange between(Index i, Index j) const {
    return {.i = i, .j = j, .axis = e, .by_place = -by_place, .by_velocity = -c * e, .across = across};
  }
};

/// Adds the `AxialBlock` block(e, i, j) of every spring e between particles i and j to J, as `BlockMatrix::add_pair`
/// does.
template <class Block>
void add_spring_blocks(const SpringLoops& loops, const Model& model, const Block& block, BlockMatrix& J) {
  loops.for_each(model, [&](Index e, Index i, Index j) { J.add_spring(e, i, j, block(e, i, j)); });
}

}  // namespace pithball::sim
