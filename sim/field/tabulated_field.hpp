#pragma once
#include <array>
#include <limits>
#include <memory>
#include <string_view>

#include "sim/core/types.hpp"
#include "sim/field/cubic_spline.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A scalar field φ(x) on space with its first two derivatives: a potential [V]. Evaluation has no side effects;
/// objects may be shared between models and threads.
class ScalarField {
 public:
  /// Value and derivatives at a point.
  struct Jet {
    double value = 0;              ///< φ
    Vec3 gradient = Vec3::Zero();  ///< ∇φ
    Mat3 hessian = Mat3::Zero();   ///< ∂²φ/∂x_a∂x_b
  };
  virtual ~ScalarField() = default;
  virtual Jet at(const Vec3& x) const = 0;  ///< φ, ∇φ and ∂²φ at x [m]
  /// Whether φ is known at x; elsewhere `at` returns an extrapolation.
  virtual bool contains(const Vec3& x) const = 0;
};

/// A potential given at the nodes of a regular grid, interpolated by the tensor product of cubic splines:
///    φ(x) = Σ c_ijk β(u − i) β(v − j) β(w − k),  (u, v, w) = (x − o)/Δ,
/// with β the cubic B-spline and c such that φ takes the given values at the nodes (Hou and Andrews 1978; Unser 1999).
/// Twice continuously differentiable; 64 coefficients per evaluation, as for cubic convolution, whose second
/// derivatives jump. φ does not depend on a coordinate with only one node.
class GridField final : public ScalarField {
 public:
  /// counts: nodes along x, y, z, at least 1; origin: the first node [m]; spacing: > 0 [m]; values [V], x running
  /// fastest, one for each node. Throws InvalidArgument otherwise.
  GridField(const std::array<Index, 3>& counts, const Vec3& origin, const Vec3& spacing, const Vector& values);
  /// From rows x, y, z [m], φ [V] in any order, with every node of an equidistant grid exactly once. Throws
  /// InvalidArgument otherwise.
  static GridField from_rows(const Eigen::Matrix<double, Eigen::Dynamic, 4>& rows);

  Jet at(const Vec3& x) const override;  ///< outside the grid extrapolated
  bool contains(const Vec3& x) const override;

 private:
  Index entry(Index i, Index j, Index k) const { return i + padded_[0] * (j + padded_[1] * k); }
  std::array<Index, 3> counts_, padded_;
  Vec3 origin_, spacing_;
  Vector coefficients_;  // padded_[0]·padded_[1]·padded_[2]: one more on each side
};

/// A potential given along a line: φ(x) depends only on s = a·(x − o), with a the unit vector of the axis and o the
/// point with s = 0. Interpolated by a cubic spline, so that ∇φ = φ′(s) a has a continuous derivative.
class LineField final : public ScalarField {
 public:
  /// Meaning of the values at the nodes.
  enum class Quantity {
    Potential,  ///< φ [V]
    Field,      ///< e = −φ′ along the axis [V/m]; φ is −∫ e from the first node
  };
  /// spline: the quantity over s [m]. Throws InvalidArgument on an axis of length 0.
  LineField(CubicSpline spline, Quantity quantity, const Vec3& origin, const Vec3& axis);

  Jet at(const Vec3& x) const override;  ///< outside the nodes extrapolated
  bool contains(const Vec3& x) const override;

 private:
  double along(const Vec3& x) const { return axis_.dot(x - origin_); }
  CubicSpline spline_;
  Quantity quantity_;
  Vec3 origin_, axis_;
};

class Settings;

/// The field e(x, t) = −w(t) ∇φ(x) of a tabulated potential, with w = 1 for from ≤ t < until and 0 at other times; with
/// a time constant τ of the electrodes, w is the voltage of a capacitor behind a resistor: 1 − e^{−(t − from)/τ} until
/// the end, then w(until) e^{−(t − until)/τ}.
///
/// Outside the table the field is NaN, so that the run of a charge there ends as diverged, unless linear extrapolation
/// is allowed. An integrator uses the table that is active at the times of its force evaluations; steps end where it
/// switches (`make_step_parts`).
class TabulatedField final : public PotentialField {
 public:
  /// The field outside the table.
  enum class Outside {
    Fail,    ///< NaN
    Linear,  ///< from the potential extrapolated linearly with its slope at the border
  };
  /// Times at which the potential acts [s].
  struct Span {
    double from = -std::numeric_limits<double>::infinity(),  ///< beginning, included; must be < `until`
        until = std::numeric_limits<double>::infinity();     ///< end, excluded
    double time_constant = 0;                                ///< τ [s]; 0: switched instantly
  };
  /// Throws InvalidArgument unless from < until and τ ≥ 0.
  TabulatedField(std::shared_ptr<const ScalarField> potential, Outside outside, const Span& span);

  /// e; NaN where the table has no value and extrapolation is not allowed.
  Vec3 value(const Vec3& x, double t) const override;
  Mat3 jacobian(const Vec3& x, double t) const override;
  double potential(const Vec3& x, double t) const override;
  bool changes_between(double from, double to) const override { return weight(from) != weight(to); }
  /// It switches at the ends of its span, and varies after them with a time constant.
  void add_course(double from, double to, TimeCourse&) const override;

 private:
  double weight(double t) const;  // w
  bool known(const Vec3& x) const { return outside_ == Outside::Linear || potential_->contains(x); }
  std::shared_ptr<const ScalarField> potential_;
  Outside outside_;
  Span span_;
};

/// Reads a field [unit] from the file named by `table`, with its units, position and time: two columns s, φ along a
/// line or four x, y, z, φ on a regular grid, u = −∇φ.
std::shared_ptr<const VectorField> ask_tabulated_field(Settings& settings, std::string_view unit);

}  // namespace pithball::sim
