#pragma once
#include "sim/core/types.hpp"
#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::sim {

/// Definition of near charges: as in the paper's text, as in its Algorithm 1, or corrected.
enum class DdefVariant { PaperText, PaperAlgorithm, Consistent };

/// Treatment of the field of far charges.
enum class DdefFarField { Interpolate, Ignore };

/// Settings of the method `ddef`.
struct DdefOptions {
  Index points = 1000;  ///< m, Halton points in the box around the charges, ≥ 1; its 8 corners come on top
  DdefVariant variant = DdefVariant::Consistent;       ///< which charges are near
  DdefFarField far_field = DdefFarField::Interpolate;  ///< of charges that are not near; ignored, they exert no force
};

/// The "DDEF" of Zhang, Liu, Papanicolopulos and Subr (arXiv 2403.03005, Section 3.3): charges that share a vertex of a
/// tetrahedral grid are summed directly; the field of all others is summed at the grid's vertices and interpolated
/// linearly:
///   e_i = Σ_{k ∈ N_i} λ_k(x_i) E_k + k_c Σ_{j near i} q_j r_ij / ρ_ij³,   E_k = k_c Σ_{j: k ∉ N_j} q_j (y_k − x_j) /
///   ρ³
/// with N_i the four vertices of the tetrahedron of x_i, λ its barycentric coordinates, y_k the vertices. Near charges
/// of i are
///   PaperText       the charges of the same tetrahedron (near all four vertices),
///   PaperAlgorithm  the charges near any of the four (N_i ∩ N_j not empty); those that are not near all four are
///                   counted twice, since E_k holds them as well,
///   Consistent      the same, and E_k leaves them out for x_i.
/// Errors are percents and hardly decrease with m: a baseline for comparison, see docs/ddef.md. Potentials and field
/// gradients are interpolated in the same way, so the field is *not* minus the gradient of the potential.
///
/// With the structure frozen (tetrahedra and vertices fixed, λ a function of x_i) the Jacobian products are exact. The
/// Jacobian is not symmetric, and `force_vjp` is its transpose.
class DdefCoulombSum final : public CoulombSum {
 public:
  /// ε ≥ 0 [m]. Throws InvalidArgument unless options.points is from 1 to a million.
  explicit DdefCoulombSum(const DdefOptions& options = {}, double softening = 0);
  std::string name() const override { return "ddef"; }
  std::shared_ptr<const Structure> make_structure(const Points& x) const override;
  using CoulombSum::make_plan;  ///< also `make_plan(x)`, which makes the structure
  /// `structure` must be one of `make_structure` for as many points.
  std::unique_ptr<Plan> make_plan(const Points& x, std::shared_ptr<const Structure> structure) const override;

 private:
  DdefOptions options_;
  double softening_;
};

}  // namespace pithball::sim
