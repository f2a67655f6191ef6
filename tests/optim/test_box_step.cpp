#include "optim/search/geodesic.hpp"

#include <limits>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball::optim;

TEST_CASE("box_step: a value on a side of the box takes the others with it", "[optim][minimizer]") {
  // Without a box the lowest point is (1, 1); with s₀ ≤ ½, 2 s₁ + ½ = 3.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd A = (Eigen::Matrix2d() << 2, 1, 1, 2).finished();
  const Vector g = Eigen::Vector2d(-3, -3), lower = Eigen::Vector2d(-infinity, -infinity);
  const BoxStep whole(A, g, lower, -lower), cut(A, g, lower, Eigen::Vector2d(0.5, infinity));
  CHECK((whole.step() - Eigen::Vector2d(1, 1)).norm() < 1e-15);
  CHECK(cut.step()[0] == 0.5);
  CHECK(cut.step()[1] == Approx(1.25));
  CHECK((cut.solve_free(Eigen::Vector2d(7, 3)) - Eigen::Vector2d(0, 1.5)).norm() < 1e-15);
}

TEST_CASE("box_step: no point of the box is lower", "[optim][minimizer]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> even(-1, 1);
  const auto draw = [&](Index rows, Index columns) {
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return even(random); }));
  };
  Index on_sides = 0;
  for (int n = 0; n < 60; ++n) {
    const Index P = 1 + n;
    const Eigen::MatrixXd J = draw(2 * P, P);
    const Eigen::MatrixXd A = J.transpose() * J + 1e-6 * Eigen::MatrixXd::Identity(P, P);
    const Vector g = J.transpose() * draw(2 * P, 1), lower = -draw(P, 1).cwiseAbs(), upper = draw(P, 1).cwiseAbs();
    const Vector s = BoxStep(A, g, 0.2 * lower, 0.2 * upper).step(), slope = g + A * s;
    // The conditions of Karush, Kuhn and Tucker, which one point alone fulfils as A is positive definite.
    for (Index k = 0; k < P; ++k) {
      CHECK(s[k] >= 0.2 * lower[k]);
      CHECK(s[k] <= 0.2 * upper[k]);
      if (s[k] > 0.2 * lower[k]) CHECK(slope[k] < 1e-10);
      if (s[k] < 0.2 * upper[k]) CHECK(slope[k] > -1e-10);
      on_sides += s[k] == 0.2 * lower[k] || s[k] == 0.2 * upper[k];
    }
  }
  CHECK(on_sides > 200);
}
