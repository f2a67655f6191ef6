#pragma once
#include "sim/core/types.hpp"

// Decompositions of small dense matrices. Eigen's templates for them cost ten seconds of compilation per file: call
// these instead.

namespace pithball::sim {

/// Eigenvalues in ascending order, and the corresponding unit eigenvectors as columns.
struct Spectrum {
  Vector values;            ///< n, ascending
  Eigen::MatrixXd vectors;  ///< n×n: column k belongs to values[k]
};

/// For a symmetric matrix, of which only the lower triangle is read.
Spectrum symmetric_spectrum(const Eigen::MatrixXd& A);

/// The least-squares solution X of A X = B, column by column, of minimum norm if columns of A are linearly dependent.
struct LeastSquares {
  Eigen::MatrixXd X;  ///< a column for each of B
  Index rank = 0;     ///< of A: number of pivots above rounding
};

/// Solves A X = B in the sense of least squares.
LeastSquares solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Orthonormal columns, equally many, with the same span.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& columns);

}  // namespace pithball::sim
