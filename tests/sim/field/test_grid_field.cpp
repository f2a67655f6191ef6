#include "sim/field/tabulated_field.hpp"

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// A product of sines in the cube [0, π]³.
ScalarField::Jet exact(const Vec3& x) {
  const Vec3 s = x.array().sin(), c = x.array().cos();
  ScalarField::Jet jet;
  jet.value = s.prod();
  jet.gradient = Vec3(c[0] * s[1] * s[2], s[0] * c[1] * s[2], s[0] * s[1] * c[2]);
  jet.hessian << -jet.value, c[0] * c[1] * s[2], c[0] * s[1] * c[2], c[0] * c[1] * s[2], -jet.value, s[0] * c[1] * c[2],
      c[0] * s[1] * c[2], s[0] * c[1] * c[2], -jet.value;
  return jet;
}

Eigen::Matrix<double, Eigen::Dynamic, 4> rows(const std::array<Index, 3>& counts) {
  Eigen::Matrix<double, Eigen::Dynamic, 4> table(counts[0] * counts[1] * counts[2], 4);
  Index row = 0;
  for (Index i = 0; i < counts[0]; ++i)  // z fastest: not the order of GridField's own values
    for (Index j = 0; j < counts[1]; ++j)
      for (Index k = 0; k < counts[2]; ++k) {
        const Vec3 x = M_PI * Vec3(static_cast<double>(i) / static_cast<double>(counts[0] - 1),
                                   static_cast<double>(j) / static_cast<double>(counts[1] - 1),
                                   static_cast<double>(k) / static_cast<double>(counts[2] - 1));
        table.row(row++) << x[0], x[1], x[2], exact(x).value;
      }
  return table;
}

struct GridErrors {
  double value = 0, gradient = 0, hessian = 0;
};
GridErrors grid_errors(const GridField& field) {
  GridErrors e;
  for (int k = 0; k < 300; ++k) {
    const Vec3 x = M_PI / 2 * (Vec3(1, 1, 1) + Vec3(std::sin(3.1 * k), std::sin(5.3 * k + 1), std::sin(7.7 * k + 2)));
    const auto got = field.at(x), want = exact(x);
    e.value = std::max(e.value, std::abs(got.value - want.value));
    e.gradient = std::max(e.gradient, (got.gradient - want.gradient).norm());
    e.hessian = std::max(e.hessian, (got.hessian - want.hessian).norm());
  }
  return e;
}

}  // namespace

TEST_CASE("grid_field: value, gradient and second derivatives converge with orders 4, 3 and 2", "[sim][field]") {
  const GridErrors coarse = grid_errors(GridField::from_rows(rows({9, 10, 11}))),
                   fine = grid_errors(GridField::from_rows(rows({17, 19, 21})));
  // Half the spacing: 16, 8 and 4 times less; the largest of 300 places is hit to some 20 %.
  CHECK(coarse.value / fine.value > 12);
  CHECK(coarse.gradient / fine.gradient > 6);
  CHECK(coarse.hessian / fine.hessian > 3);
  CHECK(fine.value < 1e-4);
}

TEST_CASE("grid_field: takes the table's values at its nodes", "[sim][field]") {
  const auto table = rows({5, 4, 6});
  const GridField field = GridField::from_rows(table);
  for (Index row = 0; row < table.rows(); ++row)
    CHECK(field.at(table.row(row).head<3>()).value == Approx(table(row, 3)).margin(1e-14));  // rounding
}

TEST_CASE("grid_field: the second derivatives are continuous across cells", "[sim][field]") {
  const GridField field = GridField::from_rows(rows({6, 6, 6}));
  const double h = M_PI / 5, d = 1e-9;
  for (const Vec3& x : {Vec3(h, 1, 2), Vec3(0.3, 2 * h, 2), Vec3(0.3, 1, 4 * h)}) {
    const auto before = field.at(x - Vec3::Constant(d)), after = field.at(x + Vec3::Constant(d));
    REQUIRE(before.hessian.norm() > 0.1);
    CHECK((before.gradient - after.gradient).norm() < 1e-7);  // 2e-9 times a derivative below 10
    CHECK((before.hessian - after.hessian).norm() < 1e-7);
  }
}

TEST_CASE("grid_field: a quadrupole has its exact field up to the border", "[sim][field]") {
  Eigen::Matrix<double, Eigen::Dynamic, 4> table = rows({4, 5, 4});
  for (Index row = 0; row < table.rows(); ++row)
    table(row, 3) =
        3 * table(row, 0) * table(row, 0) - table(row, 1) * table(row, 1) - 2 * table(row, 2) * table(row, 2);
  const GridField field = GridField::from_rows(table);
  for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0.1, 3, 1), Vec3(M_PI, 0.2, M_PI)})
    CHECK((field.at(x).gradient - Vec3(6 * x[0], -2 * x[1], -4 * x[2])).norm() < 1e-12);  // rounding
}

TEST_CASE("grid_field: continues in straight lines outside, and says where it is known", "[sim][field]") {
  const GridField field = GridField::from_rows(rows({6, 6, 6}));
  const Vec3 border(0, 1, 2), out(-0.7, 1, 2);
  CHECK(field.contains(border));
  CHECK_FALSE(field.contains(out));
  const auto at_border = field.at(border), outside = field.at(out);
  REQUIRE(std::abs(at_border.gradient[0]) > 0.1);
  CHECK(outside.value == Approx(at_border.value - 0.7 * at_border.gradient[0]).epsilon(1e-13));
  CHECK(outside.gradient[0] == Approx(at_border.gradient[0]).epsilon(1e-13));
  CHECK(outside.hessian(0, 0) == 0);
}

TEST_CASE("grid_field: does not depend on a coordinate with one node", "[sim][field]") {
  Eigen::Matrix<double, Eigen::Dynamic, 4> plane(20, 4);
  for (Index k = 0; k < 20; ++k) plane.row(k) << 0.5 * (k % 4), 0.25 * (k / 4), 7, std::sin(k);
  const GridField field = GridField::from_rows(plane);
  const auto here = field.at(Vec3(0.6, 0.3, 7)), there = field.at(Vec3(0.6, 0.3, -40));
  REQUIRE(here.gradient.norm() > 0.1);
  CHECK(field.contains(Vec3(0.6, 0.3, -40)));
  CHECK((here.gradient - there.gradient).norm() < 1e-14);
  CHECK(std::abs(here.gradient[2]) + here.hessian.col(2).norm() < 1e-13);  // rounding of sums that cancel
}

TEST_CASE("grid_field: tables that are no grid are rejected", "[sim][field][error]") {
  auto table = rows({3, 3, 3});
  const Eigen::Matrix<double, Eigen::Dynamic, 4> short_one = table.topRows(26);
  CHECK_THROWS_WITH(GridField::from_rows(short_one), Catch::Contains("26 rows for 3 x 3 x 3"));
  auto twice = table;
  twice.row(4) = twice.row(5);
  CHECK_THROWS_WITH(GridField::from_rows(twice), Catch::Contains("named twice"));
  for (Index row = 0; row < 27; ++row)
    if (table(row, 1) > 3) table(row, 1) = 4;
  CHECK_THROWS_WITH(GridField::from_rows(table), Catch::Contains("evenly spaced nodes along y"));
}
