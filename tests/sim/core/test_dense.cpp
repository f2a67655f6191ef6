#include <cmath>
#include <numbers>

#include "sim/core/dense.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

// Tolerances are the rounding of sums of a few numbers near 1.

TEST_CASE("dense: the spectrum of a chain's stiffness is that of the textbook", "[sim][core][reference]") {
  // 2 on the diagonal, −1 beside it: 2 − 2 cos(kπ/(n + 1)).
  constexpr Index n = 6;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    K(i, i) = 2;
    if (i > 0) K(i, i - 1) = -1;
  }
  const Spectrum spectrum = symmetric_spectrum(K);  // of the lower triangle alone
  for (Index k = 0; k < n; ++k)
    CHECK(spectrum.values[k] == Approx(2 - 2 * std::cos((k + 1) * std::numbers::pi / (n + 1))).epsilon(1e-13));
  K = Eigen::MatrixXd(K.selfadjointView<Eigen::Lower>());
  CHECK((K * spectrum.vectors - spectrum.vectors * spectrum.values.asDiagonal()).norm() < 1e-14);
}

TEST_CASE("dense: least squares, and the shortest answer where columns depend on one another", "[sim][core]") {
  Eigen::MatrixXd A(4, 2), B(4, 1);
  A << 1, 0, 1, 1, 1, 2, 1, 3;
  B << 1, 3, 4, 6;  // the line 1.1 + 1.6 t
  const LeastSquares line = solve_least_squares(A, B);
  CHECK(line.rank == 2);
  CHECK(line.X(0, 0) == Approx(1.1).epsilon(1e-14));
  CHECK(line.X(1, 0) == Approx(1.6).epsilon(1e-14));

  A.col(1) = 2 * A.col(0);
  const LeastSquares shared = solve_least_squares(A, B);  // x + 2y = 3.5, and (x, y) along (1, 2)
  CHECK(shared.rank == 1);
  CHECK(shared.X(0, 0) == Approx(0.7).epsilon(1e-14));
  CHECK(shared.X(1, 0) == Approx(1.4).epsilon(1e-14));
}

TEST_CASE("dense: orthonormal columns span what was given", "[sim][core]") {
  Eigen::MatrixXd A(4, 2);
  A << 1, 0, 1, 1, 1, 2, 1, 3;
  const Eigen::MatrixXd Q = orthonormal(A);
  REQUIRE(Q.cols() == 2);
  CHECK((Q.transpose() * Q - Eigen::Matrix2d::Identity()).norm() < 1e-15);
  CHECK((A - Q * (Q.transpose() * A)).norm() < 1e-14);
  CHECK(orthonormal(Eigen::MatrixXd(4, 0)).cols() == 0);
}
