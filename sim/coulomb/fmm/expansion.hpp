#pragma once
#include <vector>

#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/harmonics_kernel.hpp"

namespace pithball::sim::fmm {

/// What to compute at points.
struct Wanted {
  bool potential = false,                                            ///< φ
      field = false,                                                 ///< e = −∇φ
      field_gradient = false;                                        ///< ∂e_a/∂x_b
  bool any() const { return potential || field || field_gradient; }  ///< whether there is anything to compute
};

/// Sources at points: arrays over points, null where there are none.
struct Weights {
  const double* charge = nullptr;  ///< one number for each point
  const double* dipole[3] = {};    ///< three components, all null or none
};

/// Arrays over points to which results are added; only the requested ones are touched.
struct Values {
  double* potential = nullptr;     ///< φ
  double* field[3] = {};           ///< components of e = −∇φ
  double* field_gradient[6] = {};  ///< xx, xy, xz, yy, yz, zz of ∂e_a/∂x_b
};

/// Between points and expansions up to one order, in units of the box (see `Translations`):
/// Regular harmonics make multipoles of a box from its points and evaluate its local expansion at them; Irregular ones
/// make a local expansion from points far away and evaluate a multipole there. The two directions are transposes of
/// each other, also for fields against dipoles, so that the whole sum is a symmetric matrix however coarse the
/// expansion is.
class PointExpansion {
 public:
  /// For degrees 0…order, order ≥ 0, and all that `Wanted` may request.
  explicit PointExpansion(int order);
  int order() const { return order_; }  ///< highest degree

  /// coefficient_nm += Σ_i (charge_i H_nm(u_i) + dipole_i·∇H_nm(u_i)/side)
  void add_moments(Harmonics kind, const Frame& frame, const PointRange& points, const Weights& weights,
                   double* coefficient) const;
  /// φ = side⁻¹ Σ coefficient_nm H_nm(u), e = −∇φ and its gradient, added at the points.
  void add_values(Harmonics kind, const Frame& frame, const double* coefficient, const Wanted& wanted,
                  const PointRange& points, const Values& values) const;

 private:
  const Recurrence& recurrence(Harmonics kind, int derivatives) const {
    return recurrences_[kind == Harmonics::Regular ? 0 : derivatives];
  }
  int order_;
  std::vector<Recurrence> recurrences_;           ///< of order, order + 1, order + 2
  std::vector<Derivatives> regular_, irregular_;  ///< of harmonics up to the order, and of their derivatives
};

/// One multipole expansion of all charges about the middle of their bounding box, for points outside. Fields of single
/// charges cancel there as exactly as they do in the moments, so that errors are relative to what is left, not to what
/// cancels.
class OuterExpansion {
 public:
  /// Charges [C], N ≥ 1, at x [m], 3×N; ε ≥ 0 [m], whose effect the expansion leaves out.
  OuterExpansion(const Points& x, const Vector& charge, double softening);

  /// Adds field [V/m] and potential [V] at those of the points `at` [m], 3×M, where the degrees that are left out and
  /// the softening change the field by at most 1e-12 of it; returns the other points, ascending.
  ///
  /// With t = R/r < 1, R the radius of the charges, the degrees beyond p have a field of at most
  ///   √2 k_c Σ|q| (p + 2) t^(p+1) / (r² (1 − t)²),
  /// since degree n gives k_c q tⁿ/r² [(n + 1) P_n, sin γ P_n'] along r and across, with |P_n| ≤ 1 and |sin γ P_n'| ≤
  /// n.
  std::vector<Index> add(const Points& at, Points& field, Vector& potential) const;

 private:
  double left_out(double r) const;

  PointExpansion points_;
  Frame frame_;                  // side: R
  direct::Channels multipoles_;  // one channel
  double total_,                 // Σ|q|
      softening_;
};

}  // namespace pithball::sim::fmm
