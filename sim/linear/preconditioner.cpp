#include "sim/linear/preconditioner.hpp"

#include <Eigen/LU>

namespace pithball::sim {

BlockJacobi::BlockJacobi(const BlockMatrix& A) : inverse_(A.particles()) {
  for (Index i = 0; i < A.particles(); ++i)
    inverse_[i] = A.is_held(i) ? Mat3::Zero() : Mat3(Mat3(A.diagonal(i)).inverse());
}

void BlockJacobi::apply(const Points& r, Points& z) const {
  for (Index i = 0; i < r.cols(); ++i) z.col(i).noalias() = inverse_[i] * r.col(i);
}

void ScalarFactor::apply(const Points& r, Points& z) const {
  z = factor_.solve(r.transpose()).transpose();
  for (Index i = 0; i < z.cols(); ++i)
    if (held_[i]) z.col(i).setZero();
}

void BlockFactor::apply(const Points& r, Points& z) const { flat(z) = factor_.solve(flat(r)); }

}  // namespace pithball::sim
