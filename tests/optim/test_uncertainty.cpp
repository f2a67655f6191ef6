#include <Eigen/LU>
#include <cmath>
#include <random>

#include "optim/uncertainty/significance.hpp"
#include "optim/uncertainty/uncertainty.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

TEST_CASE("student_t: quantiles agree with printed tables", "[optim][uncertainty][reference]") {
  // Abramowitz & Stegun, table 26.10, two-sided 95 % and 99 %; three decimals are printed.
  CHECK(student_t_quantile(0.95, 1) == Approx(12.706).margin(5e-4));
  CHECK(student_t_quantile(0.95, 2) == Approx(4.303).margin(5e-4));
  CHECK(student_t_quantile(0.95, 5) == Approx(2.571).margin(5e-4));
  CHECK(student_t_quantile(0.95, 10) == Approx(2.228).margin(5e-4));
  CHECK(student_t_quantile(0.95, 30) == Approx(2.042).margin(5e-4));
  CHECK(student_t_quantile(0.95, 120) == Approx(1.980).margin(5e-4));
  CHECK(student_t_quantile(0.99, 7) == Approx(3.499).margin(5e-4));
  CHECK(student_t_quantile(0.95, 1000000000) == Approx(1.959964).margin(1e-6));
}

TEST_CASE("student_t: sum and expansion meet where the method changes", "[optim][uncertainty]") {
  CHECK(student_t_quantile(0.95, 1000) == Approx(student_t_quantile(0.95, 1001)).epsilon(2e-6));
  CHECK(student_t_probability(student_t_quantile(0.95, 1001), 1001) == Approx(0.95).epsilon(1e-9));
  CHECK_THROWS_AS(student_t_quantile(1.0, 3), pithball::InvalidArgument);
}

TEST_CASE("student_t: one-sided quantiles agree with printed tables", "[optim][uncertainty][reference]") {
  // Abramowitz & Stegun, table 26.10, 90 % two-sided; three decimals are printed.
  CHECK(one_sided_quantile(0.95, 1) == Approx(6.314).margin(5e-4));
  CHECK(one_sided_quantile(0.95, 10) == Approx(1.812).margin(5e-4));
  CHECK(one_sided_quantile(0.95, 1000000000) == Approx(1.644854).margin(1e-6));
  CHECK(one_sided_quantile(0.5, 3) == 0);
  CHECK(one_sided_quantile(0.3, 3) == 0);
}

TEST_CASE("uncertainty: a straight line has the textbook standard errors", "[optim][uncertainty][reference]") {
  // y = a + b t at t = 0 … 4 with residuals (1, −2, 1, 0, 0)·0.1, which are orthogonal to neither column on purpose:
  // only their sum of squares enters. s² = 0.06/3; var a = s²·Σt²/(nΣt² − (Σt)²) = s²·30/50, var b = s²·5/50, cov =
  // −s²·10/50.
  Eigen::MatrixXd J(5, 2);
  for (int k = 0; k < 5; ++k) J.row(k) << 1, k;
  Vector r(5);
  r << 0.1, -0.2, 0.1, 0, 0;
  const Uncertainty u = compute_uncertainty(r, J, {"a", "b"});
  const double s2 = 0.06 / 3;
  CHECK(u.spectrum.rank == 2);
  CHECK(u.scale.degrees_of_freedom == 3);
  CHECK(u.scale.s == Approx(std::sqrt(s2)).epsilon(1e-12));
  CHECK(u.standard_error[0] == Approx(std::sqrt(s2 * 30 / 50)).epsilon(1e-12));
  CHECK(u.standard_error[1] == Approx(std::sqrt(s2 * 5 / 50)).epsilon(1e-12));
  CHECK(u.covariance(0, 1) == Approx(-s2 * 10 / 50).epsilon(1e-12));
  CHECK(u.correlation(0, 1) == Approx(-10 / std::sqrt(150.0)).epsilon(1e-12));
  CHECK(u.correlation(1, 0) == u.correlation(0, 1));
  CHECK(u.half_width[1] == Approx(3.182446305 * u.standard_error[1]).epsilon(1e-8));  // t(0.975, 3)
  // Scaled columns (1, 1, 1, 1, 1)/√5 and (0 … 4)/√30 have the cosine c = 10/√150: singular values √(1 ± c).
  const double c = 10 / std::sqrt(150.0);
  CHECK(u.spectrum.condition() == Approx(std::sqrt((1 + c) / (1 - c))).epsilon(1e-12));
  CHECK(u.spectrum.weak_directions.empty());

  UncertaintyOptions known;
  known.absolute_sigma = true;
  const Uncertainty k = compute_uncertainty(r, J, {"a", "b"}, known);
  CHECK(k.standard_error[1] == Approx(std::sqrt(0.1)).epsilon(1e-12));
  CHECK(k.half_width[1] == Approx(1.959964 * std::sqrt(0.1)).epsilon(1e-6));
}

TEST_CASE("uncertainty: a direction without effect is named and its members get infinite errors",
          "[optim][uncertainty]") {
  // Only charge − stiffness acts (in θ), and damping on its own.
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd J(20, 3);
  for (int k = 0; k < 20; ++k) {
    const double a = normal(random), b = normal(random);
    J.row(k) << a, -a, b;
  }
  Vector r(20);
  for (double& x : r) x = normal(random);
  const Uncertainty u = compute_uncertainty(r, J, {"charge", "stiffness", "damping"});
  CHECK(u.spectrum.rank == 2);
  CHECK(u.scale.degrees_of_freedom == 18);
  CHECK(std::isinf(u.standard_error[0]));
  CHECK(std::isinf(u.standard_error[1]));
  CHECK(std::isinf(u.half_width[0]));
  CHECK_FALSE(u.identifiable[0]);
  CHECK_FALSE(u.identifiable[1]);
  CHECK(u.identifiable[2]);
  CHECK(u.weak_direction[0] == "charge +0.71 stiffness +0.71");
  CHECK(u.weak_direction[2].empty());
  REQUIRE(u.spectrum.weak_directions.size() == 1);
  CHECK(u.spectrum.weak_directions[0].name == "charge +0.71 stiffness +0.71");
  CHECK(std::isnan(u.correlation(0, 2)));
  // The determined parameter is judged as if the others were not there.
  const Vector scaled = J.col(2);
  Eigen::Matrix2d normal_matrix;
  normal_matrix << J.col(0).squaredNorm(), J.col(0).dot(scaled), J.col(0).dot(scaled), scaled.squaredNorm();
  CHECK(u.standard_error[2] == Approx(u.scale.s * std::sqrt(normal_matrix.inverse()(1, 1))).epsilon(1e-10));
}

TEST_CASE("uncertainty: a weak direction is named in theta, not in scaled columns", "[optim][uncertainty]") {
  Eigen::MatrixXd J(4, 2);
  J << 1, -2, 2, -4, -1, 2, 3, -6;  // 2 θ_0 + θ_1 does nothing
  const Uncertainty u = compute_uncertainty(Vector::Ones(4), J, {"stiffness", "charge"});
  CHECK(u.weak_direction[1] == "stiffness +0.89 charge +0.45");
}

TEST_CASE("uncertainty: a parameter without any effect is alone in its direction and nothing crashes",
          "[optim][uncertainty]") {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(3, 2);
  J.col(0) << 1, 2, 3;
  const Uncertainty u = compute_uncertainty(Vector::Ones(3), J, {"a", "b"});
  CHECK(u.identifiable[0]);
  CHECK_FALSE(u.identifiable[1]);
  CHECK(u.weak_direction[1] == "b +1.00");
  CHECK(std::isinf(u.spectrum.condition()));

  const Uncertainty none = compute_uncertainty(Vector::Ones(3), Eigen::MatrixXd::Zero(3, 2), {"a", "b"});
  CHECK(none.spectrum.rank == 0);
  CHECK(std::isinf(none.standard_error[0]));
}

TEST_CASE("uncertainty: fewer residuals than parameters leave directions open", "[optim][uncertainty]") {
  const Uncertainty u = compute_uncertainty(Vector::Ones(1), Eigen::MatrixXd::Ones(1, 2), {"a", "b"});
  CHECK(u.spectrum.rank == 1);
  CHECK(u.spectrum.weak_directions.size() == 1);
  CHECK(std::isinf(u.standard_error[0]));

  // As many as parameters: solved exactly, but without an estimate of the noise there is no error.
  const Uncertainty square = compute_uncertainty(Vector::Zero(2), Eigen::MatrixXd::Identity(2, 2), {"a", "b"});
  CHECK(square.identifiable[0]);
  CHECK(std::isinf(square.standard_error[0]));
}

TEST_CASE("uncertainty: what is held is known, and no direction contains it", "[optim][uncertainty][limits]") {
  // The line of above with its slope held: var a = s²/5, s² = 0.06/4.
  Eigen::MatrixXd J(5, 3);
  for (int k = 0; k < 5; ++k) J.row(k) << 1, k, 0;  // nothing tells of the third
  Vector r(5);
  r << 0.1, -0.2, 0.1, 0, 0;
  const Uncertainty u = compute_uncertainty(r, J, {"a", "b", "c"}, {.held = {false, true, false}});
  CHECK(u.spectrum.rank == 1);
  CHECK(u.scale.degrees_of_freedom == 4);
  CHECK(u.standard_error[0] == Approx(std::sqrt(0.06 / 4 / 5)).epsilon(1e-12));
  CHECK(u.scale.one_sided == Approx(2.132).margin(5e-4));  // A. & S., table 26.10: t(0.95, 4)
  CHECK_FALSE(u.identifiable[1]);
  CHECK(u.weak_direction[1].empty());
  CHECK(std::isnan(u.covariance(1, 1)));
  CHECK(std::isnan(u.correlation(0, 1)));
  REQUIRE(u.spectrum.weak_directions.size() == 1);
  CHECK(u.spectrum.weak_directions[0].name == "c +1.00");
  CHECK(u.spectrum.singular_values.size() == 2);

  const Uncertainty none = compute_uncertainty(r, J, {"a", "b", "c"}, {.held = {true, true, true}});
  CHECK(none.spectrum.rank == 0);
  CHECK(none.scale.s == Approx(std::sqrt(0.06 / 5)).epsilon(1e-12));
  CHECK(none.spectrum.weak_directions.empty());
  CHECK(std::isinf(none.standard_error[0]));
  CHECK_THROWS_AS(compute_uncertainty(r, J, {"a", "b", "c"}, {.held = {true}}), pithball::InvalidArgument);
}

TEST_CASE("uncertainty: sizes and numbers are checked", "[optim][uncertainty][error]") {
  CHECK_THROWS_AS(compute_uncertainty(Vector::Ones(2), Eigen::MatrixXd::Ones(3, 1), {"a"}), pithball::InvalidArgument);
  CHECK_THROWS_AS(compute_uncertainty(Vector::Constant(3, std::nan("")), Eigen::MatrixXd::Ones(3, 1), {"a"}),
                  pithball::InvalidArgument);
}
