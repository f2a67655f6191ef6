#pragma once
#include <vector>

#include "optim/observation/observation.hpp"
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

/// R o: an offset o from a line or plane, turned with it, and its derivatives with respect to the tangents.
struct TurnedOffset {
  sim::Vec3 value;                    ///< R o [m]
  std::vector<sim::Mat3> by_tangent;  ///< ∂(R o)/∂f_a for each tangent f_a
};

/// The offset that `offset` becomes when the orthonormal directions `before` (3×k) of the span have become the tangents
/// `after` (3×k). R is, with the unit vectors t = f before and n = f/|f| after,
///    k = 1:  the rotation from t to n without twist,  R o = o − (n·o)/(1 + n·t) (t + n)    for o ⟂ t,
///    k = 2:  the turn of the normal,                  R o = ±|o| (f_1 × f_2)/|f_1 × f_2|,
/// and the identity for k = 0 and, as there are no offsets, k = 3.
TurnedOffset turn_offset(const sim::Vec3& offset, const sim::Points& before, const sim::Points& after);

/// Largest number of markers and of places of held particles: a dense system is solved for them.
inline constexpr Index most_shape_nodes = 1000;

/// The shape of a body of which some points are seen: its shape at rest X, deflected smoothly,
///    x_i = X_i + u(p_i) + (R(∇u(p_i)) − I) o_i,
/// such that every marker is where it is seen and held particles stay at X. The field u (SmoothField) lives in the
/// span of the markers' places at rest: space, or the line or plane in which they lie. There X_i = p_i + o_i, and the
/// offset o_i from the span, which the markers do not show, keeps its length and turns with the span: sections across a
/// line stay normal to it without twist, lines across a plane stay normal to it (the hypotheses of Bernoulli and of
/// Kirchhoff). Held particles that are farther from the span than from the nearest marker extend it. Others hold it
/// where they are, and its direction too if they form a section across it, which may be ten times as far. Affine
/// deflections in the span are reproduced exactly, and so are rigid motions; those about the line of the markers are
/// not visible.
class SmoothShape {
 public:
  /// `rest`: X, 3×N [m]; `markers`: each with a particle that is not held, and weights that add up to 1. Throws
  /// InvalidArgument if two markers are at the same place of the body, if fewer than two places are known, or more than
  /// `most_shape_nodes`.
  SmoothShape(Points rest, std::vector<Marker> markers, const std::vector<Index>& held);

  /// Finds the shape in which the markers are at `seen` (3×M) [m]; whether there is one.
  bool pass_through(const Points& seen);

  Index dimensions() const { return span_.cols(); }  ///< of the span: 1 line, 2 plane, 3 space
  bool has_offsets() const;                          ///< whether particles lie outside of the span
  Points places() const;                             ///< x, 3×N [m]
  /// ∂x/∂(seen), 3N×3M; held particles have none.
  Eigen::MatrixXd response() const;
  /// dx/dt, 3×N [m/s], for markers with these velocities (3×M); held particles have those of `given` (3×N).
  Points velocities(const Points& seen, const Points& given) const;

 private:
  /// A particle: its place in the span, as weights of the nodes (n, and n×k for slopes), and its offset [m].
  struct Spot {
    Vec3 offset;
    Vector weights;
    Eigen::MatrixXd slope_weights;
  };
  void find_span();
  Points held_apart() const;
  void gather_held();
  bool is_section(const std::vector<Index>& particles) const;
  void add_spots();
  Vector in_span(const Vec3& x) const { return span_.transpose() * (x - center_); }
  Vec3 offset_of(const Vec3& x) const { return x - center_ - span_ * in_span(x); }
  Vec3 place(Index particle) const;
  Eigen::MatrixXd node_response(Index particle) const;  ///< ∂x_i/∂(displacements of nodes), 3×3n
  Eigen::MatrixXd marker_response() const;              ///< of all markers, 3M×3n

  Points rest_;
  std::vector<Marker> markers_;  ///< the first nodes
  std::vector<bool> is_held_;
  std::vector<Index> held_;
  double extent_ = 0;                              ///< of the body [m]
  Eigen::Matrix<double, 3, Eigen::Dynamic> span_;  ///< orthonormal directions
  Vec3 center_ = Vec3::Zero();
  Points marker_rest_;                          ///< 3×M
  std::vector<std::vector<Index>> held_nodes_;  ///< the other nodes: the held particles at one place of the span
  std::vector<Spot> spots_;
  Points displacement_;  ///< of the nodes, 3×n
};

}  // namespace pithball::optim
