#pragma once
#include "sim/core/types.hpp"

// Decompositions of small dense matrices. Eigen's templates for them cost ten seconds of compilation in each file that
// names one: call these instead.

namespace pithball::sim {

/// Eigenvalues in rising order, and the vectors of length 1 that go with them, in columns.
struct Spectrum {
  Vector values;
  Eigen::MatrixXd vectors;
};

/// Of a symmetric matrix, of which the lower triangle is read.
Spectrum symmetric_spectrum(const Eigen::MatrixXd& A);

/// The X of least |A X − B|, column by column; of those the shortest where columns of A depend on one another.
struct LeastSquares {
  Eigen::MatrixXd X;
  Index rank = 0;  ///< of A: pivots above rounding
};

LeastSquares solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// As many orthonormal columns, which span what these span.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns);

}  // namespace pithball::sim
