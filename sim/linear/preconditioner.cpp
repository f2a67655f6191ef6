#include "sim/linear/preconditioner.hpp"

namespace pithball::sim {

void BlockJacobi::compute(const BlockMatrix& A) {
  inverse_.resize(6, A.particles());
  for (Index i = 0; i < A.particles(); ++i)
    inverse_.col(i) = A.is_held(i) ? SymmetricBlock(SymmetricBlock::Zero()) : inverse(A.symmetric_diagonal(i));
}

void BlockJacobi::apply(const Points& r, Points& z) const {
  for (Index i = 0; i < r.cols(); ++i) z.col(i) = multiply_symmetric(inverse_.data() + 6 * i, r.col(i));
}

void ScalarFactor::apply(const Points& r, Points& z) const {
  z = factor_.solve(r.transpose()).transpose();
  for (Index i = 0; i < z.cols(); ++i)
    if (held_[i]) z.col(i).setZero();
}

void BlockFactor::apply(const Points& r, Points& z) const { flat(z) = factor_.solve(flat(r)); }

}  // namespace pithball::sim
