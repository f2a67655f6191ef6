#pragma once
#include "sim/core/types.hpp"
#include "sim/force/directions.hpp"

namespace pithball::sim {

/// A vector in a loop that runs along directions.
struct ThreeNumbers {
  double x,  ///< its first component
      y,     ///< its second
      z;     ///< its third
};

/// Adds a change of a force between i and j along each direction to that on i, and subtracts it from that on j:
/// change(p, δb) for b = x_i − x_j and δx in `dx`, P×3N.
template <class Change>
inline void add_pair_changes(const Panel& dx, Index i, Index j, Panel& df, const Change& change) {
  const Index P = dx.rows();
  const double *const a = dx.data() + 3 * i * P, *const b = dx.data() + 3 * j * P;
  double* const __restrict f = df.data() + 3 * i * P, * const __restrict g = df.data() + 3 * j * P;
#pragma GCC ivdep
  for (Index p = 0; p < P; ++p) {
    const ThreeNumbers of = change(p, a[p] - b[p], a[P + p] - b[P + p], a[2 * P + p] - b[2 * P + p]);
    f[p] += of.x;
    f[P + p] += of.y;
    f[2 * P + p] += of.z;
    g[p] -= of.x;
    g[P + p] -= of.y;
    g[2 * P + p] -= of.z;
  }
}

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

  /// The same along several directions, added to f of i and subtracted from that of j. `dx`: P×3N; ds, dl0: P numbers.
  void add_changes(const Panel& dx, Index i, Index j, const double* ds, const double* dl0, Panel& df) const {
    add_pair_changes(dx, i, j, df, [&](Index p, double x, double y, double z) {
      const double factor = by_strength * ds[p] + by_rest_length * dl0[p] - along * (b[0] * x + b[1] * y + b[2] * z);
      return ThreeNumbers{factor * b[0] - across * x, factor * b[1] - across * y, factor * b[2] - across * z};
    });
  }

  /// The gradient of u·f by b; `part` is b·u.
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

  /// At b and w.
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

  /// The same along several directions, added to f of i and subtracted from that of j. `d`: dx and dv are P×3N; dc(p).
  template <class Change>
  void add_changes(const Directions& d, Index i, Index j, const Change& dc, Panel& df) const {
    const Index P = d.count();
    const double *const u = d.v.data() + 3 * i * P, *const v = d.v.data() + 3 * j * P;
    add_pair_changes(d.x, i, j, df, [&](Index p, double x, double y, double z) {
      const double rate = e[0] * (u[p] - v[p]) + e[1] * (u[P + p] - v[P + p]) + e[2] * (u[2 * P + p] - v[2 * P + p]);
      const double factor = -(c * rate + along * dc(p) + by_place[0] * x + by_place[1] * y + by_place[2] * z);
      return ThreeNumbers{factor * e[0] - across * x, factor * e[1] - across * y, factor * e[2] - across * z};
    });
  }
};

}  // namespace pithball::sim
