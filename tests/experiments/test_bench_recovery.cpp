#include <cmath>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench recovery: every charge and stiffness is found again, and the figures are complete",
          "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench recovery --repetitions 2 --noise 0 0.01 --missing 0.6 --json --quiet");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  CHECK(result["particles"] == 12);
  CHECK(result["parameters"] == 12 + 36);
  REQUIRE(result["rows"].size() == 2);
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    CHECK(row["converged"] == row["repetitions"]);
    CHECK(row["evaluations"]["tangent"].get<int>() >= 2);
  }
  // Without noise only the error of the step is left; with it, estimates scatter by some per cent.
  const auto &exact = result["rows"][0], &noisy = result["rows"][1];
  CHECK(exact["charge_error"].get<double>() < 0.2 * noisy["charge_error"].get<double>());
  CHECK(exact["stiffness_error"].get<double>() < 0.2 * noisy["stiffness_error"].get<double>());
  CHECK(noisy["charge_error"].get<double>() < 0.2);
  CHECK(noisy["stiffness_error"].get<double>() < 0.2);
  CHECK(noisy["identifiable"].get<double>() > 0.5);
}

TEST_CASE("bench recovery: 95 % intervals hold the truth in 92 to 98 of 100 cases", "[experiments][bench][nightly]") {
  const Workplace place;
  const Outcome outcome = place.run("bench recovery --repetitions 200 --noise 0.01 --missing 0.6 --json --quiet");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto row = outcome.json()["rows"][0];
  CAPTURE(row.dump());
  CHECK(row["converged"] == 200);
  CHECK(row["identifiable"].get<double>() > 0.9);
  // Of 200 × 48 intervals, which are correlated within a fit only: the statistical error of the share is below 1 %.
  CHECK(row["coverage"].get<double>() > 0.92);
  CHECK(row["coverage"].get<double>() < 0.98);
}

TEST_CASE("bench recovery: options that are wrong", "[experiments][bench][error]") {
  const Workplace place;
  for (const char* arguments : {"--body sphere", "--noise -1", "--missing 1", "--repetitions 0", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench recovery ") + arguments).status == 2);
  }
}
