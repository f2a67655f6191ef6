#include "sim/coulomb/coulomb_registry.hpp"

#include <tuple>

#include "datasets/mesh/point_set.hpp"
#include "sim/core/error.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

auto everything(const CoulombSum& sum, const Points& x) {
  const Vector q = datasets::make_charges("mixed", x.cols());
  const auto plan = sum.make_plan(x);
  direct_cases::Sums sums(x.cols());
  plan->evaluate({&q, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
  Points df = Points::Zero(3, x.cols()), dx = df;
  Vector dq = Vector::Zero(x.cols());
  plan->force_jvp(q, x, q, df);
  plan->force_vjp(q, x, dx, dq);
  return std::tuple(sums.potential, sums.field, sums.gradient, df, dx, dq);
}

}  // namespace

TEST_CASE("auto: direct below the crossover, fmm from there on, to the last bit", "[sim][coulomb]") {
  for (double tolerance : {1e-1, 1e-4})
    for (double softening : {0.0, 1e-4}) {
      const Index n = AutoCoulombSum::crossover(tolerance);
      const AutoCoulombSum sum(tolerance, softening);
      CAPTURE(tolerance, softening, n);
      REQUIRE(n > 500);
      REQUIRE(n < 50000);
      CHECK(sum.choice(0) == "direct");
      CHECK(sum.choice(n - 1) == "direct");
      CHECK(sum.choice(n) == "fmm");
      CHECK(sum.choice(1000000) == "fmm");
      const Points x = datasets::make_point_set("sphere", n), fewer = x.leftCols(n - 1);
      REQUIRE(x.cols() == n);
      CHECK(sum.make_structure(fewer) == nullptr);
      CHECK(sum.make_structure(x) != nullptr);
      CHECK(everything(sum, fewer) == everything(DirectCoulombSum(softening), fewer));
      CHECK(everything(sum, x) == everything(FmmCoulombSum(tolerance, softening), x));
    }
}

TEST_CASE("auto: more digits need more points for fmm to pay", "[sim][coulomb]") {
  Index before = 0;
  for (double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
    const Index crossover = AutoCoulombSum::crossover(tolerance);
    CAPTURE(tolerance);
    CHECK(crossover > before);
    before = crossover;
  }
}

TEST_CASE("auto: tolerances out of range are rejected", "[sim][coulomb][error]") {
  CHECK_THROWS_WITH(AutoCoulombSum(1e-12), Catch::Contains("tolerance"));
  CHECK_THROWS_WITH(AutoCoulombSum(1), Catch::Contains("tolerance"));
}
