// Springs that harden, as an experiment file says it.
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;

namespace {

/// Three particles on two springs with further keys.
std::string springs_with(const std::string& more) {
  return "name: chain\nsystem:\n  vertices: [[0, 0, 0], [0.5, 0, 0], [0.7, 0, 0]]\n  mass: 1\n  springs: {edges: [[0, "
         "1], "
         "[1, 2]], stiffness: 10" +
         more + "}\nsimulation: {integrator: imex_midpoint, time_step: 10 ms, duration: 1 s}\n";
}
sim::Model model_with(const std::string& more) {
  return app::read_experiment(app::parse_document(springs_with(more), {"file"})).scenario.model;
}

}  // namespace

TEST_CASE("cubic_stiffness: one for all springs or one each, and no value without the key", "[app][spec]") {
  const auto numbers = [](const std::string& more) {
    const sim::Values values = model_with(more).values();
    return sim::Vector(values[values.find("cubic_stiffness").value()]);
  };
  CHECK(numbers(", cubic_stiffness: 300 N/m3") == sim::Vector{{300, 300}});
  CHECK(numbers(", cubic_stiffness: [3, 0]") == sim::Vector{{3, 0}});
  CHECK(numbers(", cubic_stiffness: 0") == sim::Vector{{0, 0}});
  CHECK(numbers(", cubic_stiffness: 2 N/cm3").isApprox(sim::Vector{{2e6, 2e6}}, 1e-14));
  const sim::Model linear = model_with("");
  CHECK_FALSE(linear.values().find("cubic_stiffness"));
  CHECK(linear.terms().size() == 1);
}

TEST_CASE("cubic_stiffness: a spring that softens, and another unit, are rejected at their place",
          "[app][spec][error]") {
  CHECK_THROWS_WITH(model_with(", cubic_stiffness: -1"), Catch::Contains("cubic_stiffness: must be >= 0 N/m3"));
  CHECK_THROWS_WITH(model_with(", cubic_stiffness: [1]"), Catch::Contains("cubic_stiffness"));
  CHECK_THROWS_WITH(model_with(", cubic_stiffness: 1 N/m"), Catch::Contains("cubic_stiffness"));
}
