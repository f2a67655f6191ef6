#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// The smoothest field through given values at nodes of a line, a plane or space: the polyharmonic spline
///    u(p) = Σ_j c_j L_j |p − ·|³ + a + b·p,   L_i u = d_i,   Σ c_j L_j = 0 for linear functions,
/// in which L_j is the value at a node or, at a clamped node, a slope there, which is 0. It has no scale of its own,
/// reproduces linear fields, and on a line it is the natural cubic spline, clamped at the clamped nodes (Duchon 1977;
/// Wendland, Scattered Data Approximation, 2005, sections 8 and 16). A field is linear in its values:
/// u(p) = weights(p)·d.
class SmoothField {
 public:
  /// `nodes`: k×n [m], k ≤ 3, all different, not on one line (plane) of fewer dimensions than k unless nodes are
  /// clamped; `clamped`: nodes at which all slopes are 0. A single node gives a constant field.
  SmoothField(const Eigen::MatrixXd& nodes, const std::vector<Index>& clamped);

  /// Weights of the n values in the field at `place` (k) [m].
  Vector weights(const Vector& place) const;
  /// Weights of the n values in the slopes there, n×k [1/m]: column a is ∂u/∂p_a.
  Eigen::MatrixXd slope_weights(const Vector& place) const;

 private:
  /// A value (along < 0) or the slope along an axis, at a node.
  struct Condition {
    Index node, along;
  };
  /// Kernel entries of all conditions, then 1 and p, for a value or a slope at `place`, in units of `extent_`.
  Vector row(const Vector& place, Index along) const;

  Eigen::MatrixXd nodes_;  ///< in units of extent_, from the first
  Vector first_;
  double extent_ = 1;
  std::vector<Condition> conditions_;
  Eigen::MatrixXd coefficients_;  ///< of the conditions, then a and b, for one unit of each value
};

}  // namespace pithball::optim
