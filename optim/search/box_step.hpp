#pragma once
#include <Eigen/Cholesky>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// The lowest point of a convex quadratic function within a box,
///    min gᵀs + ½ sᵀAs,   lower ≤ s ≤ upper,
/// with A (P×P) positive definite: entries that would leave the box rest on its sides, and the others follow. By block
/// principal pivoting (Júdice & Pires, Computers Oper. Res. 21, 1994): all entries on the wrong side change it at once,
/// or one at a time where that does not lead on.
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

}  // namespace pithball::optim
