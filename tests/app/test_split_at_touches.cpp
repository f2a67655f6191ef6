#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

std::string bouncing_ball(const std::string& integrator) {
  return R"(name: ball
system: {vertices: [[0, 0, 1]], mass: 0.1, springs: none}
forces:
  - gravity: [0, 0, -9.81]
  - plane_penalty: {stiffness: 50000, damping: 2}
simulation: {time_step: 0.05, duration: 0.8, )" +
         integrator + "}\n";
}

}  // namespace

TEST_CASE("split_at_touches: a bounce in a pair is doubtful, and the remedy that is printed is accepted and enough",
          "[app][gradient]") {
  const Workplace place;
  place.write("whole.yaml", bouncing_ball("integrator: dormand_prince"));
  const Outcome whole = place.run("check-gradient whole.yaml --json");
  CAPTURE(whole.out, whole.err);
  REQUIRE(whole.json()["doubts"].size() == 1);
  const auto doubt = whole.json()["doubts"][0].get<std::string>();
  const std::string before = ", or `";
  const auto begin = doubt.find(before);
  REQUIRE(begin != std::string::npos);
  const std::string remedy = doubt.substr(begin + before.size(), doubt.rfind('`') - begin - before.size());
  CHECK(remedy == "integrator: {dormand_prince: {split_at_touches: true}}");
  place.write("split.yaml", bouncing_ball(remedy));
  const Outcome split = place.run("check-gradient split.yaml --json");
  CAPTURE(split.out, split.err);
  CHECK(split.status == 0);
  CHECK(split.json()["doubts"].empty());
  CHECK(split.json()["passed"].get<bool>());
}

TEST_CASE("split_at_touches: steps of a fixed length refuse it", "[app][error]") {
  const Workplace place;
  for (const std::string integrator : {"velocity_verlet", "imex_midpoint", "rk4", "xpbd"}) {
    place.write("ball.yaml", bouncing_ball("integrator: {" + integrator + ": {split_at_touches: true}}"));
    const Outcome outcome = place.run("simulate ball.yaml --out wrong");
    CAPTURE(integrator, outcome.err);
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::Contains("split_at_touches"));
  }
}
