#pragma once
#include <memory>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// What sits at the source points of a sum: charges [C], dipoles [C m], or both. Either pointer may be null.
struct CoulombSources {
  const Vector* charge = nullptr;  ///< N
  const Points* dipole = nullptr;  ///< 3×N
};

/// What a sum is asked for; null members are not computed. Results are *added*.
struct CoulombResult {
  Vector* potential = nullptr;  ///< φ_i [V]
  Points* field = nullptr;      ///< e_i = −∇φ at x_i [V/m]
};

/// Sums over all pairs of N points, with Plummer softening ε (0: none), the point itself left out:
///   charges   φ_i = k_c Σ_{j≠i} q_j / ρ_ij,              e_i = k_c Σ q_j r_ij / ρ_ij³,
///   dipoles   φ_i = k_c Σ_{j≠i} p_j·r_ij / ρ_ij³,        e_i = k_c Σ [3 (p_j·r_ij) r_ij / ρ_ij⁵ − p_j / ρ_ij³],
/// with r_ij = x_i − x_j and ρ² = |r|² + ε².
///
/// The positions enter through a `Plan`, made once for one set of positions: for `direct` it is a copy in the layout
/// that the kernel likes; for tree methods it holds the tree and lists too. A plan can be frozen and reused.
class CoulombSum {
 public:
  class Plan {
   public:
    virtual ~Plan() = default;
    /// Adds the requested sums at all points of the plan.
    virtual void evaluate(const CoulombSources& sources, const CoulombResult& result) const = 0;
    /// Adds the change of the forces f_i = q_i e_i when points move by δx and charges change by δq, in one pass:
    ///   δf_i += k_c Σ_{j≠i} { q_i q_j [d/ρ³ − 3 (r·d) r/ρ⁵] + (δq_i q_j + q_i δq_j) r/ρ³ },  r = r_ij, d = δx_i − δx_j.
    virtual void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const = 0;
    /// The transpose: from w = ∂L/∂f adds ∂L/∂x and ∂L/∂q, in one pass:
    ///   ∂L/∂x_i += k_c q_i Σ_{j≠i} q_j [d/ρ³ − 3 (r·d) r/ρ⁵],   ∂L/∂q_i += k_c Σ_{j≠i} q_j (r·d)/ρ³,   d = w_i − w_j.
    virtual void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const = 0;
  };
  virtual ~CoulombSum() = default;
  virtual std::unique_ptr<Plan> make_plan(const Points& x) const = 0;
  virtual std::string name() const = 0;
};

/// Every pair, exactly, O(N²): vectorised for the machine at run time, parallel over targets; the result is
/// bit-identical for any number of threads.
class DirectCoulombSum final : public CoulombSum {
 public:
  explicit DirectCoulombSum(double softening = 0) : softening_(softening) {}
  std::unique_ptr<Plan> make_plan(const Points& x) const override;
  std::string name() const override { return "direct"; }
 private:
  double softening_;  ///< ε [m]
};

}  // namespace pithball::sim
