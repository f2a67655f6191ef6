// Tracers in a velocity field, from the experiment file to the report.
#include <algorithm>
#include <cmath>

#include "app/report/sections.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball;
using namespace pithball::test;
using namespace pithball::app;

namespace {

const std::string turning = R"yaml(name: turning
system:
  vertices: [[1, 0, 0], [0, 2, 0.5]]
  tracers: {velocity: {expression: ["-y*cos(t)", "x*cos(t)", "0.25"]}}
simulation: {integrator: rk4, time_step: 0.02, duration: 2}
)yaml";

}  // namespace

TEST_CASE("tracers: a run of the program follows the exact solution, and its report shows the motion",
          "[app][tracers]") {
  const Workplace place;
  place.write("turning.yaml", turning);
  const Outcome outcome = place.run("simulate turning.yaml --json --quiet --out run");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto trajectory = datasets::read_h5md((place / "run" / "trajectory.h5").string()).trajectory;
  REQUIRE(trajectory.states.size() == 101);
  const double angle = std::sin(2.0);  // ∫ cos t dt
  const sim::Points& end = trajectory.states.back().x;
  CHECK(end(0, 0) == Approx(std::cos(angle)).margin(1e-8));  // rk4: (0.02)⁴/120 a step at most
  CHECK(end(1, 0) == Approx(std::sin(angle)).margin(1e-8));
  CHECK(end(2, 1) == Approx(1).margin(1e-12));
  const Sections sections = make_sections(read_run(place / "run"), {});
  CHECK(std::ranges::any_of(sections, [](const Section& section) { return section.kind == "motion"; }));
  const Outcome again = place.run("simulate run/run.yaml --quiet --out again");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(datasets::read_h5md((place / "again" / "trajectory.h5").string()).trajectory.states.back().x == end);
}

TEST_CASE("tracers: the example runs", "[app][tracers]") {
  const Workplace place;
  const Outcome outcome =
      place.run("simulate '" + pithball::tests::in_sources("experiments/configs/tracers-in-vortices.yaml") +
                "' --set simulation.duration=1 --json --quiet");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.json()["particles"] == 625);
}

TEST_CASE("tracers: what belongs to bodies is rejected with its place, and nothing is written",
          "[app][tracers][error]") {
  const Workplace place;
  place.write("turning.yaml", turning);
  const auto rejected = [&](const std::string& command, const std::string& told) {
    const Outcome outcome = place.run(command);
    INFO(command << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK(place.listing() == "turning.yaml ");
  };
  const std::string simulate = "simulate turning.yaml --set ";
  rejected(simulate + "simulation.integrator=velocity_verlet",
           "simulation.integrator: must be an integrator for first-order");
  rejected(simulate + "simulation.integrator=imex_euler", "explicit_euler, midpoint");
  rejected(simulate + "system.mass=1", "system.mass: must be left out for tracers");
  rejected(simulate + "system.springs='{stiffness: 1}'", "system.springs: must be left out for tracers");
  rejected(simulate + "forces='[{gravity: [0, 0, -1]}]'", "must have no springs and no forces");
  rejected(simulate + "system.tracers='{}'", "system.tracers.velocity");
  rejected("check-gradient turning.yaml", "system.tracers: are not differentiable");
  rejected("compare turning.yaml", "must be an integrator for first-order equations");
  place.write("turning.yaml", replaced(turning, "integrator: rk4, ", ""));
  rejected("simulate turning.yaml", "simulation.integrator: must be an integrator for first-order");
}
