#pragma once
#include <Eigen/Cholesky>
#include <vector>

#include "optim/search/minimizer.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// The lowest point of a convex quadratic function within a box,
///    min gᵀs + ½ sᵀAs,   lower ≤ s ≤ upper,
/// with A (P×P) positive definite: entries that would leave the box rest on its sides, and the others follow. By block
/// principal pivoting (Júdice & Pires, Computers Oper. Res. 21, 1994): all entries on the wrong side change it at once,
/// or one at a time where that makes no progress.
class BoxStep {
 public:
  /// Bounds may be infinite; the box is not empty.
  BoxStep(const Eigen::MatrixXd& A, const Vector& g, const Vector& lower, const Vector& upper);

  const Vector& step() const { return step_; }  ///< s, P
  /// A⁻¹b among the entries that rest on no side; 0 for the others.
  Vector solve_free(const Vector& b) const;

 private:
  /// −1: on its lower side, 1: on its upper one, 0: on none.
  using Sides = Eigen::VectorXi;
  void rest_on(const Sides& sides, const Vector& lower, const Vector& upper);
  std::vector<Index> misplaced(const Sides& sides, const Vector& lower, const Vector& upper) const;

  const Eigen::MatrixXd& A_;
  const Vector& g_;
  Vector step_, slope_;  ///< s and g + As
  std::vector<Index> free_;
  Eigen::LLT<Eigen::MatrixXd> root_;  ///< of A among the free entries
};

/// Minimizes L = ½|r(θ)|² by Levenberg–Marquardt with geodesic acceleration (Transtrum & Sethna 2012,
/// arXiv:1201.5885): the method for tens to hundreds of parameters, many of which the residuals hardly determine. A
/// step is δ₁ + δ₂, with
///    (JᵀJ + λD) δ₁ = −Jᵀr,   (JᵀJ + λD) δ₂ = −½ Jᵀ r″(δ₁, δ₁).
/// r″ is the second derivative along δ₁ and costs one more evaluation of r, at θ + δ₁/10, where a Jacobian costs many:
///    r″ ≈ 2/h ((r(θ + hδ₁) − r)/h − Jδ₁),   h = 1/10.
/// δ₂ is left out where 2|δ₂| > ¾|δ₁|, lengths being those in D. D is diagonal, the largest |∂r/∂θ_k|² of the search so
/// far (Moré 1978): a parameter whose effect fades, as that of a stiffness near 0 or ∞, then does not run away. No step
/// leaves the bounds or changes θ by more than `Bounds::step`: δ₁ is the lowest point of the
/// damped model in that box (`BoxStep`), so that other parameters follow those that rest on its sides. λ is divided by
/// 5 after a step and doubled until one lowers L. Each iteration computes one Jacobian. Failures as in
/// `levenberg_marquardt`.
MinimizerReport geodesic(const Residual& residual, const Vector& start, const Bounds& bounds = {},
                         const MinimizerOptions& options = {}, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
