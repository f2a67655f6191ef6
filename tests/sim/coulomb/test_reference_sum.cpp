#include "sim/coulomb/reference_sum.hpp"

#include <cmath>
#include <set>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

TEST_CASE("reference sum: two charges have the field and potential of Coulomb's law", "[sim][coulomb]") {
  Points x(3, 3);
  x << 0, 3, 9,  //
      0, 4, 9,   //
      0, 0, 9;
  const Vector q = (Vector(3) << 2e-6, -3e-6, 0).finished();
  const ReferenceSum sum = make_reference_sum(x, q, {0, 1});
  CHECK(sum.potential[0] == Approx(coulomb_constant * -3e-6 / 5).epsilon(1e-15));
  CHECK(sum.potential[1] == Approx(coulomb_constant * 2e-6 / 5).epsilon(1e-15));
  const Vec3 field = coulomb_constant * 2e-6 / 25 * Vec3(0.6, 0.8, 0);
  CHECK((sum.field.col(1) - field).norm() <= 1e-15 * field.norm());
  // Softening makes the distance √(25 + 144) = 13.
  CHECK(make_reference_sum(x, q, {1}, 12).potential[0] == Approx(coulomb_constant * 2e-6 / 13).epsilon(1e-15));
}

TEST_CASE("reference sum: direct agrees at the targets, and errors are what was put in", "[sim][coulomb]") {
  const Index n = 500;
  Points x(3, n);
  for (Index i = 0; i < n; ++i) x.col(i) << std::sin(1.0 * i), std::cos(1.7 * i), std::sin(0.3 * i + 1);
  const Vector q = Vector::LinSpaced(n, -1e-6, 2e-6);
  Points field = Points::Zero(3, n);
  Vector potential = Vector::Zero(n);
  DirectCoulombSum().make_plan(x)->evaluate({&q, nullptr}, {&potential, &field});
  const ReferenceSum sum = make_reference_sum(x, q, spread_targets(n, 100));
  REQUIRE(sum.targets.size() == 100);
  CHECK(sum.field_error(field) < 1e-14);  // rounding of sums over 500 sources
  CHECK(sum.potential_error(potential) < 1e-14);
  CHECK(sum.field_error(1.001 * field) == Approx(1e-3).epsilon(1e-6));
  CHECK(sum.potential_error(0.99 * potential) == Approx(1e-2).epsilon(1e-6));
}

TEST_CASE("spread targets: different, ascending, within range, all where few", "[sim][coulomb]") {
  for (const Index n : {0, 1, 7, 1999, 2000, 2001, 3000, 100000}) {
    const auto targets = spread_targets(n, 2000);
    CAPTURE(n, targets.size());
    CHECK(std::set<Index>(targets.begin(), targets.end()).size() == targets.size());
    CHECK(std::is_sorted(targets.begin(), targets.end()));
    if (n <= 2000) CHECK(static_cast<Index>(targets.size()) == n);
    if (n > 5000) CHECK(targets.size() == 2000);
    if (!targets.empty()) CHECK((targets.front() >= 0 && targets.back() < n));
  }
}
