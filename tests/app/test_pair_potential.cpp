#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("pair_potential: an experiment names its law, gradients pass, and mistakes are reported with their place",
          "[app][gradient][error]") {
  const Workplace place;
  place.write("morse.yaml", R"(name: morse
system:
  vertices: [[0, 0, 0], [1, 0.1, 0], [0.5, 0.8, 0.1], [0.4, 0.4, 0.75]]
  mass: [1, 0.7, 1.3, 0.9]
  velocities: [[0.5, 0, 0], [-1, 0, 0.2], [0, -0.9, 0], [0.1, 0, -1]]
forces:
  - pair_potential:
      expression: (1 - exp(-3*(r - 1)))^2
      cutoff: 3
simulation: {integrator: velocity_verlet, time_step: 0.005, duration: 0.2}
)");
  const Outcome check = place.run("check-gradient morse.yaml --json");
  CAPTURE(check.out, check.err);
  REQUIRE(check.status == 0);
  const auto result = check.json();
  bool strength = false;
  for (const auto& block : result["blocks"])
    if (block["name"] == "pair_potential_strength") strength = block["largest"].get<double>() > 0;
  CHECK(strength);
  const auto complaint = [&](const std::string& change) {
    const Outcome outcome = place.run("simulate morse.yaml --out wrong --set 'forces.pair_potential." + change + "'");
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK_THAT(complaint("expression=1/x"),
             Catch::Contains("forces.pair_potential.expression") || Catch::Contains("expression '1/x', character 3"));
  CHECK_THAT(complaint("expression=1/x"), Catch::Contains("unknown 'x'"));
  CHECK_THAT(complaint("expression=abs(r)"), Catch::Contains("must be smooth"));
  CHECK_THAT(complaint("expression=ln(r - 4)"), Catch::Contains("must have a finite value at the cutoff"));
  CHECK_THAT(complaint("cutoff=0"), Catch::Contains("cutoff: must be > 0 m"));
}
