// Springs beside those of the mesh, as an experiment file says it.
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "sim/force/spring_force.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;

namespace {

/// A chain of four particles, 0.2 m apart, with these keys of its springs.
sim::Model model_with_springs(const std::string& springs) {
  const std::string text =
      "name: chain\nsystem:\n  mesh: {chain: {length: 0.6, segments: 3}}\n  mass: 1\n  springs: {" + springs +
      "}\nsimulation: {integrator: imex_midpoint, time_step: 10 ms, duration: 1 s}\n";
  return app::read_experiment(app::parse_document(text, {"file"})).scenario.model;
}
sim::Vector values_of(const sim::Model& model, const char* name) { return model.values()[*model.values().find(name)]; }

}  // namespace

TEST_CASE("springs.added: come after those of the mesh, without damping or hardening", "[app][spec]") {
  const sim::Model model = model_with_springs(
      "stiffness: [1, 2, 3], damping: 0.5, cubic_stiffness: 7, added: [{between: [2, 0], stiffness: 4 N/cm}, "
      "{between: [0, 3], stiffness: 5, rest_length: 50 cm}]");
  REQUIRE(model.springs().size() == 5);
  CHECK(model.springs()[3].i == 0);
  CHECK(model.springs()[3].j == 2);
  CHECK(values_of(model, "stiffness").isApprox(sim::Vector{{1, 2, 3, 400, 5}}, 1e-14));
  CHECK(values_of(model, "rest_length").isApprox(sim::Vector{{0.2, 0.2, 0.2, 0.4, 0.5}}, 1e-14));
  CHECK(values_of(model, "damping") == sim::Vector{{0.5, 0.5, 0.5, 0, 0}});
  CHECK(values_of(model, "cubic_stiffness") == sim::Vector{{7, 7, 7, 0, 0}});
}

TEST_CASE("springs.added: as axial stiffnesses, where the springs of the mesh are", "[app][spec]") {
  const sim::Model model =
      model_with_springs("axial_stiffness: 2, axial_damping: 0.1, added: [{between: [0, 2], axial_stiffness: 8}]");
  CHECK(sim::find_springs(model)->stiffness(model).isApprox(sim::Vector{{10, 10, 10, 20}}, 1e-14));
  CHECK(values_of(model, "damping").isApprox(sim::Vector{{0.5, 0.5, 0.5, 0}}, 1e-14));
  CHECK_THROWS_WITH(model_with_springs("axial_stiffness: 2, added: [{between: [0, 2], stiffness: 8}]"),
                    Catch::Contains("axial_stiffness"));
}

TEST_CASE("springs.added: what cannot be is rejected at its place", "[app][spec][error]") {
  const auto added = [](const std::string& item) {
    return model_with_springs("stiffness: 1, added: [{" + item + "}]");
  };
  CHECK_THROWS_WITH(added("between: [0, 1], stiffness: 1"),
                    Catch::Contains("springs.added[0].between") && Catch::Contains("no spring yet, got [0, 1] again"));
  CHECK_THROWS_WITH(added("between: [0, 4], stiffness: 1"), Catch::Contains("particles between 0 and 3, got 4"));
  CHECK_THROWS_WITH(added("between: [2, 2], stiffness: 1"), Catch::Contains("two different particles"));
  CHECK_THROWS_WITH(added("between: [0, 1, 2], stiffness: 1"), Catch::Contains("a pair [i, j]"));
  CHECK_THROWS_WITH(added("between: [0, 2]"), Catch::Contains("stiffness"));
  CHECK_THROWS_WITH(added("between: [0, 2], stiffness: -1"), Catch::Contains("must be >= 0 N/m"));
  CHECK_THROWS_WITH(
      model_with_springs("stiffness: 1, added: [{between: [0, 2], stiffness: 1}, {between: [2, 0], stiffness: 1}]"),
      Catch::Contains("added[1].between"));
}
