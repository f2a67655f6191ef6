#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench fit: finds the stiffness of every spring of a small membrane, and counts what it takes",
          "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome =
      place.run("bench fit --vertices 36 --tolerance 1e-2 --set simulation.time_step=0.0025 --json");
  CAPTURE(outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  CHECK(result["vertices"] == 36);
  CHECK(result["springs"] == 2 * 5 * 6 + 2 * 25);
  // Those of the frame do not move, nor does one diagonal in each of its corners.
  CHECK(result["parameters"] == result["springs"].get<int>() - 4 * 5 - 4);
  CHECK(result["start_median_error"].get<double>() > 0.15);
  CHECK(result["median_error"].get<double>() < 0.02);
  CHECK(result["percentile_95_error"].get<double>() >= result["median_error"].get<double>());
  CHECK(result["largest_error"].get<double>() >= result["percentile_95_error"].get<double>());
  for (const char* pass : {"forward", "tangent", "adjoint"}) CHECK(result["evaluations"][pass].get<int>() > 5);
  for (const char* positive : {"seconds", "forward_seconds", "fit_in_forward_runs", "gradient_in_forward_runs"})
    CHECK(result[positive].get<double>() > 0);
  // The search begins at the weak form's estimate: the first cost is a part of that of equal stiffnesses.
  CHECK(result["cost_history"].front().get<double>() > 2 * result["cost_history"].back().get<double>());
}

TEST_CASE("bench fit: wrong options are rejected", "[experiments][bench][error]") {
  const Workplace place;
  CHECK(place.run("bench fit --solver newton").status == 2);
  CHECK(place.run("bench fit --vertices 49 --set simulation.time_stp=1").status == 2);
}
