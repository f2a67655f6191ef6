#pragma once
#include <memory>
#include <vector>

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

/// Several changes of something, side by side: row p is the one along direction p. Of a 3×N quantity, columns 3i, 3i +
/// 1 and 3i + 2 belong to particle i. A loop over particles computes once what all directions share; the rest runs
/// along a column.
using Panel = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic>;

/// A panel's columns of one particle.
inline auto of_particle(Panel& panel, Index i) { return panel.middleCols<3>(3 * i); }
/// The same for a constant panel.
inline auto of_particle(const Panel& panel, Index i) { return panel.middleCols<3>(3 * i); }

/// Row p of a panel as 3×N.
inline Points points_of(const Panel& panel, Index p) { return panel.row(p).matrix().reshaped(3, panel.cols() / 3); }
/// Replaces row p of a panel.
inline void set_points(Panel& panel, Index p, const Points& points) { panel.row(p) = flat(points).transpose().array(); }
/// Adds to row p of a panel.
inline void add_points(Panel& panel, Index p, const Points& points) {
  panel.row(p) += flat(points).transpose().array();
}

/// Changes of the physical values along several directions. Unlike those of x and v, they do not change along a motion;
/// they are stored in both layouts.
struct ValueDirections {
  Panel panel;               ///< P×V, in the layout of `Model::values()`
  std::vector<Vector> each;  ///< the same by direction

  /// From the columns of V×P.
  explicit ValueDirections(const Eigen::MatrixXd& columns) : panel(columns.transpose().array()) {
    for (Index p = 0; p < columns.cols(); ++p) each.emplace_back(columns.col(p));
  }
};

/// Several directions in the space of all arguments of the forces.
struct Directions {
  Panel x;                                        ///< δx [m], P×3N
  Panel v;                                        ///< δv [m/s], P×3N
  std::shared_ptr<const ValueDirections> values;  ///< δ of the physical values

  /// A single direction.
  static Directions only(const Variation& d) {
    return {flat(d.x).transpose().array(), flat(d.v).transpose().array(),
            std::make_shared<const ValueDirections>(d.values)};
  }

  /// P, the number of directions.
  Index count() const { return x.rows(); }
  /// Direction p alone.
  Variation alone(Index p) const { return {points_of(x, p), points_of(v, p), values->each[p]}; }
  /// Replaces x and v of direction p.
  void set(Index p, const Variation& d) {
    set_points(x, p, d.x);
    set_points(v, p, d.v);
  }
};

}  // namespace pithball::sim
