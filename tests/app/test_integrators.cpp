// How an experiment names a time integrator, and what the program says about each.
#include <cmath>
#include <set>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;

TEST_CASE("list integrators: lists orders, cost, history and derivative of every integrator", "[app][list]") {
  const auto list = Workplace().run("list integrators --json").json()["integrators"];
  std::set<std::string> names;
  for (const auto& integrator : list) {
    names.insert(integrator["name"]);
    for (const char* key :
         {"summary", "position_order", "velocity_order", "force_evaluations", "implicit", "time_reversible",
          "symplectic", "startup_steps", "history", "first_order", "adaptive", "differentiable"})
      CHECK(integrator.contains(key));
    CHECK(integrator["position_order"].get<int>() >= integrator["velocity_order"].get<int>());
    CHECK((integrator["startup_steps"] == 0 || !integrator["history"].empty()));
    if (integrator["name"] == "ab4") CHECK(integrator["startup_steps"] == 3);
    if (integrator["name"] == "imex_euler") CHECK(integrator["differentiable"] == true);
    if (integrator["name"] == "gear") CHECK(integrator["differentiable"] == false);
  }
  CHECK(names.size() == list.size());
  CHECK(names.size() == 30);
}

TEST_CASE("list integrators: measures orders and force evaluations on request", "[app][list]") {
  const Workplace place;
  CHECK_FALSE(place.run("list integrators --json").json()["integrators"][0].contains("measured"));
  const Outcome outcome = place.run("list integrators --measured --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const auto& integrator : outcome.json()["integrators"]) {
    INFO(integrator.dump(2));
    for (const char* key : {"position_order", "velocity_order", "force_evaluations"})
      CHECK(std::lround(integrator["measured"][key].get<double>()) == integrator[key].get<long>());
    CHECK(integrator["measured"]["position_order"] !=
          integrator["position_order"]);  // a measurement, not the statement
  }
  const Outcome forces = place.run("list forces --measured");
  CHECK(forces.status == 2);
  CHECK(forces.err.find("--measured") != std::string::npos);
}

TEST_CASE("simulate: an integrator is a name, or a name with its settings", "[app][integrator]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto evaluations = [&](const std::string& integrator, const std::string& more = "") {
    const Outcome outcome =
        place.run("simulate small.yaml --json --out run --set \"simulation.integrator=" + integrator + "\" " + more);
    CAPTURE(integrator, outcome.err);
    REQUIRE(outcome.status == 0);
    fs::remove_all(place / "run");
    return outcome.json()["cost"]["force_evaluations"].get<long>();
  };
  const long plain = evaluations("dormand_prince");
  CHECK(evaluations("{dormand_prince: {}}") == plain);
  CHECK(evaluations("{dormand_prince: {tolerance: 1e-12}}") > plain);
  CHECK(evaluations("dormand_prince", "--set simulation.integrator.dormand_prince.tolerance=1e-12") > plain);
}

TEST_CASE("simulate: the run folder holds an integrator's settings, defaults filled in", "[app][integrator]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --out run --set simulation.integrator=theta").status == 0);
  const std::string written = read_text(place / "run" / "run.yaml");
  CHECK(written.find("newton_iterations: converge") != std::string::npos);
  REQUIRE(place.run("simulate run/run.yaml --out again").status == 0);  // and reads them again
}

TEST_CASE("simulate: unknown integrators and settings are rejected with what is known", "[app][integrator][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto rejected = [&](const std::string& integrator) {
    const Outcome outcome =
        place.run("simulate small.yaml --out run --set \"simulation.integrator=" + integrator + "\"");
    CHECK(outcome.status == 2);
    CHECK_FALSE(fs::exists(place / "run"));
    return outcome.err;
  };
  CHECK(rejected("velocity_verlte").find("did you mean 'velocity_verlet'?") != std::string::npos);
  CHECK(rejected("{rk4: {tolerance: 1}}").find("simulation.integrator.rk4.tolerance") != std::string::npos);
  CHECK(rejected("{theta: {theta: 2}}").find("must be between 0 and 1") != std::string::npos);
  CHECK(rejected("{theta: {}, rk4: {}}").find("must be one integrator") != std::string::npos);
}

TEST_CASE("check-gradient and fit: an integrator without derivative is rejected before anything runs",
          "[app][integrator][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome check = place.run("check-gradient small.yaml --set simulation.integrator=gear");
  CHECK(check.status == 2);
  CHECK(check.err.find("not differentiable") != std::string::npos);
  const Outcome fit = place.run("fit '" + pithball::tests::in_sources("experiments/demo/charged-net.yaml") +
                                "' --out run --set simulation.integrator=gear");
  CAPTURE(fit.err);
  CHECK(fit.status == 2);
  CHECK(fit.err.find("not differentiable") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "run"));
}

TEST_CASE("simulate: reports and counts substeps of imex_adaptive that are longer than the forces require",
          "[app][integrator]") {
  const Workplace place;
  // An eccentric orbit about an external charge, in two steps.
  place.write("orbit.yaml", R"(name: orbit
system: {vertices: [[0.995, 0, 0]], mass: 1 g, charge: -1 uC, springs: none, velocities: [[0, 0.3, 0]]}
forces: [{point_charge: {charge: 1 uC, position: [0, 0, 0]}}]
simulation: {integrator: {imex_adaptive: {safety_factor: 0.02, max_substeps: 20}}, time_step: 0.3, duration: 0.6}
)");
  const Outcome bound = place.run("simulate orbit.yaml --out bound");
  CAPTURE(bound.err);
  REQUIRE(bound.status == 0);
  const auto summary = nlohmann::json::parse(read_text(place / "bound/summary.json"));
  CHECK(summary["cost"]["capped_substeps"].get<int>() > 10);
  REQUIRE(summary["notes"].size() == 1);
  CHECK(bound.out.find(summary["notes"][0].get<std::string>()) != std::string::npos);
  CHECK(summary["notes"][0].get<std::string>().find("max_substeps") != std::string::npos);
  const Outcome free =
      place.run("simulate orbit.yaml --json --out free --set simulation.integrator.imex_adaptive.max_substeps=1000000");
  CHECK(free.json()["cost"]["capped_substeps"] == 0);
  CHECK(free.json()["notes"].empty());
}
