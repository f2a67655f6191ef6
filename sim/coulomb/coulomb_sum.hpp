#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// Symmetric 3×3 matrices, one for each particle, as the rows xx, xy, xz, yy, yz, zz (6×N).
using FieldGradients = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// The product of one column of `FieldGradients` with a vector.
template <class Column, class Direction>
Vec3 times(const Column& g, const Direction& d) {
  return {g[0] * d[0] + g[1] * d[1] + g[2] * d[2], g[1] * d[0] + g[3] * d[1] + g[4] * d[2],
          g[2] * d[0] + g[4] * d[1] + g[5] * d[2]};
}

/// Sources of a sum: charges [C], dipoles [C m], or both. Either pointer may be null.
struct CoulombSources {
  const Vector* charge = nullptr;  ///< N
  const Points* dipole = nullptr;  ///< 3×N
};

/// Outputs of a sum; null members are not computed. Results are *added*.
struct CoulombResult {
  Vector* potential = nullptr;               ///< φ_i [V]
  Points* field = nullptr;                   ///< e_i = −∇φ at x_i [V/m]
  FieldGradients* field_gradient = nullptr;  ///< ∂e_a/∂x_b = −∂²φ/∂x_a∂x_b at x_i [V/m²]
};

/// Sums over all pairs of N points, without self-interaction, with Plummer softening ε (0: none):
///   charges   φ_i = k_c Σ_{j≠i} q_j / ρ_ij,              e_i = k_c Σ q_j r_ij / ρ_ij³,
///   dipoles   φ_i = k_c Σ_{j≠i} p_j·r_ij / ρ_ij³,        e_i = k_c Σ [3 (p_j·r_ij) r_ij / ρ_ij⁵ − p_j / ρ_ij³],
/// with r_ij = x_i − x_j and ρ² = |r|² + ε².
///
/// An approximate sum first computes a `Structure` (tree and lists, grid and tetrahedra) for one set of positions. For
/// a fixed structure the approximation is a smooth function of positions and charges, and the Jacobian products are
/// those of this function; between structures it jumps by its error. A `Plan` is a structure with positions.
class CoulombSum {
 public:
  /// What an approximate sum computes first from the positions.
  class Structure {
   public:
    virtual ~Structure() = default;
    /// Number of these points that are in another cell, or another tetrahedron, than in the structure.
    virtual Index crossings(const Points& x) const = 0;
  };

  /// A structure with positions, at which sums are evaluated.
  class Plan {
   public:
    virtual ~Plan() = default;
    /// Adds the requested sums at all points of the plan.
    virtual void evaluate(const CoulombSources& sources, const CoulombResult& result) const = 0;
    /// Adds the change of the forces f_i = q_i e_i when points move by δx and charges change by δq, in one pass:
    ///   δf_i += k_c Σ_{j≠i} { q_i q_j [d/ρ³ − 3 (r·d) r/ρ⁵] + (δq_i q_j + q_i δq_j) r/ρ³ },  r = r_ij, d = δx_i −
    ///   δx_j.
    virtual void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const = 0;
    /// The transpose: from w = ∂L/∂f adds ∂L/∂x and ∂L/∂q, in one pass:
    ///   ∂L/∂x_i += k_c q_i Σ_{j≠i} q_j [d/ρ³ − 3 (r·d) r/ρ⁵],   ∂L/∂q_i += k_c Σ_{j≠i} q_j (r·d)/ρ³,   d = w_i − w_j.
    virtual void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const = 0;
  };

  virtual ~CoulombSum() = default;
  virtual std::string name() const = 0;  ///< as in the experiment file: "direct"

  /// The structure for the positions x; null for an exact sum, which has none.
  virtual std::shared_ptr<const Structure> make_structure(const Points& x) const { return nullptr; }
  /// The sum at positions x with a structure from `make_structure` of the same object, for x or nearby positions.
  virtual std::unique_ptr<Plan> make_plan(const Points& x, std::shared_ptr<const Structure> structure) const = 0;
  /// The sum at x with the structure for x itself.
  std::unique_ptr<Plan> make_plan(const Points& x) const { return make_plan(x, make_structure(x)); }
  /// The sum over only those pairs in which one of `some` points (ascending, each once) occurs, without approximation;
  /// null where it would cost as much as the sum over all pairs.
  virtual std::unique_ptr<Plan> make_partial_plan(const Points& x, const std::vector<Index>& some) const {
    return nullptr;
  }
};

}  // namespace pithball::sim
