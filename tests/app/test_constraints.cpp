// Constraints from the experiment file to the run folder.
#include <cmath>

#include "app/report/sections.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "sim/constraint/constraint_registry.hpp"
#include "tests/app/program.hpp"
#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;
using namespace pithball::app;

namespace {

const std::string pendulum = R"yaml(name: pendulum
system:
  mesh: {chain: {length: 1.5, segments: 3, axis: [1, 0, 0]}}
  springs: none
  mass: 1
  pinned: [0]
forces:
  - gravity: [0, 0, -9.81]
constraints:
  - distance: {edges: mesh}
simulation: {integrator: {xpbd: {substeps: 40}}, time_step: 10 ms, duration: 1}
)yaml";

}  // namespace

TEST_CASE("constraints: a chain of rods in a bath is judged by its heat, not by the energy that rods take",
          "[app][constraints]") {
  const Workplace place;
  place.write("rods.yaml", R"(
name: rods
system: {mesh: {chain: {length: 1, segments: 20}}, mass: 10 g, pinned: [top], springs: none}
forces:
  - langevin: {thermal_energy: 1e-3, friction_rate: 5, seed: 3}
simulation: {integrator: {xpbd: {substeps: 40}}, time_step: 2 ms, duration: 8 s}
constraints:
  - distance: {edges: mesh}
)");
  const Outcome bathed = place.run("simulate rods.yaml --out bathed --json");
  INFO(bathed.out << bathed.err);
  CHECK(bathed.json()["status"] == "ok");
  CHECK(bathed.json()["energy_error"]["max"] > 0.1);  // of what it gained in all; a tenth of what came and went is more
}

TEST_CASE("constraints: a run of the program keeps a triple pendulum's rods and energy, and has a report",
          "[app][constraint]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  const Outcome outcome = place.run("simulate pendulum.yaml --json --quiet --out run");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const sim::Trajectory run = datasets::read_h5md((place / "run" / "trajectory.h5").string()).trajectory;
  REQUIRE(run.states.size() == 101);
  const sim::Points& x = run.states.back().x;
  CHECK((x.col(3) - run.states.front().x.col(3)).norm() > 0.5);
  for (sim::Index i = 0; i < 3; ++i) CHECK((x.col(i + 1) - x.col(i)).norm() == Approx(0.5).epsilon(1e-3));
  // It fell from the horizontal: E = 0, to first order in the substep; the largest energies are near 30 J.
  const double kinetic = 0.5 * run.states.back().v.squaredNorm(), potential = 9.81 * x.row(2).sum();
  CHECK(kinetic > 5);
  CHECK(std::abs(kinetic + potential) < 0.04 * kinetic);  // substeps of 0.25 ms leave 2.7 %
  CHECK_FALSE(make_sections(read_run(place / "run"), {}).empty());
  const Outcome again = place.run("simulate run/run.yaml --quiet --out again");
  INFO(again.err);
  CHECK(again.status == 0);
  CHECK(datasets::read_h5md((place / "again" / "trajectory.h5").string()).trajectory.states.back().x == x);
}

TEST_CASE(
    "constraints: links are written as edges of the mesh, a group of them, or pairs, with values by one or in a list",
    "[app][constraint]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  const auto end = [&](const std::string& settings) {
    const Outcome outcome =
        place.run("simulate pendulum.yaml --json --quiet --out run --set 'constraints=[" + settings + "]'");
    INFO(settings << ": " << outcome.err);
    REQUIRE(outcome.status == 0);
    const auto x = datasets::read_h5md((place / "run" / "trajectory.h5").string()).trajectory.states.back().x;
    fs::remove_all(place / "run");
    return x;
  };
  const sim::Points rods = end("{distance: {edges: mesh}}");
  CHECK(end("{distance: {edges: [[0, 1], [1, 2], [3, 2]], rest_length: 50 cm}}") == rods);
  CHECK(end("{distance: {edges: [[0, 1]]}}, {distance: {edges: [[1, 2], [2, 3]], compliance: [0, 0]}}") == rods);
  CHECK((end("{distance: {edges: mesh, compliance: [0, 1e-2, 0]}}") - rods).norm() > 1e-2);
  CHECK((end("{distance: {edges: mesh}}, {pin: {vertices: [bottom], compliance: 0.1}}") - rods).norm() > 0.1);
}

TEST_CASE("constraints: spheres fall into a box around a mesh and rest there, and the summary counts contacts",
          "[app][constraint]") {
  const Workplace place;
  place.write("pile.yaml", R"yaml(name: pile
system:
  mesh: {grid: {size: [0.6, 0.6], segments: [3, 3]}, translate: [0.01, 0.02, 1]}
  springs: none
  mass: 1
forces:
  - gravity: [0, 0, -9.81]
  - drag: {linear: 0.5}
constraints:
  - spheres: {radius: 8 cm, friction: 0.3}
  - box: {min: [-0.5, -0.5, 0], max: [0.5, 0.5, 2], radius: 8 cm, slip: 0.9}
  - mesh: {surface: {sphere: {radius: 0.2}}, radius: 8 cm}
simulation: {integrator: {xpbd: {substeps: 10}}, time_step: 10 ms, duration: 3}
output: {every: 100}
)yaml");
  const Outcome outcome = place.run("simulate pile.yaml --json --quiet --out run");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto summary = outcome.json();
  CHECK(summary["contacts"]["most"] >= 16);
  CHECK(summary["contacts"]["deepest"] > 0);
  CHECK(summary["contacts"]["deepest"] < 0.05);
  CHECK(summary["broken_links"].empty());
  const sim::Points x = datasets::read_h5md((place / "run" / "trajectory.h5").string()).trajectory.states.back().x;
  for (sim::Index i = 0; i < x.cols(); ++i) {
    CHECK(x(2, i) > 0.08 - 1e-3);
    CHECK(x(2, i) < 0.6);
    CHECK(x.col(i).norm() > 0.26);  // the mesh is a polyhedron within the sphere of 0.2 m
  }
}

TEST_CASE("constraints: a report draws links as it draws springs, but for those that break",
          "[app][constraint][report]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  // Springs along the mesh as well, so that links stand behind them.
  const std::string springs = " --set 'system.springs={stiffness: [10, 20, 30]}' --set simulation.duration=0.2";
  const auto motion_of = [&](const std::string& changes) {
    REQUIRE(place.run("simulate pendulum.yaml --quiet --out run" + changes).status == 0);
    for (const Section& section : make_sections(read_run(place / "run"), {}))
      if (section.kind == "motion") return section.document;
    return nlohmann::ordered_json{};
  };
  const std::vector<double> rods{0, 1, 1, 2, 2, 3};
  const auto links = motion_of(" --set simulation.duration=0.2");
  CHECK(unpack(links["springs"]["pairs"]) == rods);
  CHECK(unpack(links["springs"]["rest_length"]) == std::vector<double>{0.5, 0.5, 0.5});

  const auto both = motion_of(springs);
  std::vector<double> twice = rods;
  twice.insert(twice.end(), rods.begin(), rods.end());
  CHECK(unpack(both["springs"]["pairs"]) == twice);
  REQUIRE(both["quantities"].back()["name"] == "stiffness");
  const auto stiffness = unpack(both["quantities"].back()["values"]);
  REQUIRE(stiffness.size() == 6);
  CHECK(stiffness[2] == 30);
  CHECK(std::isnan(stiffness[3]));

  const auto broken = motion_of(" --set 'constraints=[{distance: {edges: mesh, max_tension: [1 kN, 1 kN, 20 N]}}]'");
  CHECK(unpack(broken["springs"]["pairs"]) == std::vector<double>{0, 1, 1, 2});
  CHECK(broken["note"].get<std::string>().find("A link that breaks is not drawn.") != std::string::npos);
}

TEST_CASE("constraints: a link that breaks is in the summary, with or without --resume", "[app][constraint]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  const std::string change = " --set 'constraints=[{distance: {edges: mesh, max_tension: [1 kN, 1 kN, 20 N]}}]'";
  const Outcome outcome = place.run("simulate pendulum.yaml --json --quiet --out run" + change);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto broken = outcome.json()["broken_links"];
  REQUIRE(broken.size() == 1);
  CHECK(broken[0]["link"] == 2);
  CHECK(broken[0]["particles"] == std::vector<int>{2, 3});
  CHECK(broken[0]["tension"] > 20);
  CHECK(broken[0]["step"] >= 1);
  CHECK(read_text(place / "run" / "summary.json").find("broken_links") != std::string::npos);
}

TEST_CASE("constraints: the program lists them, and names what cannot be one with its place",
          "[app][constraint][error]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  const auto listed = place.run("list constraints --json").json()["constraints"];
  REQUIRE(listed.size() == sim::constraints().size());
  CHECK(listed[0]["name"] == sim::constraints()[0].name);
  const auto rejected = [&](const std::string& change, const std::string& what) {
    const Outcome outcome = place.run("simulate pendulum.yaml --quiet --out run --set '" + change + "'");
    INFO(change << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(what) != std::string::npos);
    CHECK_FALSE(fs::exists(place / "run"));
  };
  rejected("simulation.integrator=rk4", "integrator: must be xpbd for a model with constraints, got rk4");
  rejected("constraints=[distanse: {edges: mesh}]", "did you mean 'distance'?");
  rejected("constraints=[distance: {edges: mash}]", "edges: must be `mesh`, a group of the mesh's edges");
  rejected("constraints=[distance: {edges: [[0, 9]]}]", "must name particles between 0 and 3, got 9");
  rejected("constraints=[distance: {edges: [[0, 1], [1, 0]]}]", "must join a pair that has no link yet");
  rejected("constraints=[distance: {edges: mesh, compliance: [1, 2]}]", "one entry for each of the 3 links");
  rejected("constraints=[distance: {edges: mesh, compliance: -1}]", "distance_compliance[0]: must be >= 0 m/N, got -1");
  rejected("constraints=[distance: {edges: mesh, length: 1}]", "length");
  rejected("constraints=[box: {min: [0, 0, 0], max: [1, -1, 1]}]", "constraints.box.max: must be larger than `min`");
  rejected("constraints=[plane: {restitution: 2}]", "constraints.plane.restitution: must be between 0 and 1, got 2");
  rejected("constraints=[mesh: {surface: {chain: {length: 1}}}]", "must be a mesh with faces");
  rejected("constraints=[mesh: {surface: {grid: {size: [1, 1]}}}]", "must be closed and oriented");
  rejected("constraints=[spheres: {friction: 1}]", "radius");
  rejected("simulation.integrator={xpbd: {substeps: 0}}", "substeps: must be 1 to 1000000, got 0");
  const Outcome gradient = place.run(
      "check-gradient pendulum.yaml --quiet --set 'constraints=[{distance: {edges: mesh, max_tension: 1 kN}}]'");
  CHECK(gradient.status == 2);
  CHECK(gradient.err.find("constraints.distance: is not differentiable") != std::string::npos);
}

TEST_CASE("constraints: check-gradient passes on a compliant chain, and on a stiffer one", "[app][constraint][fd]") {
  const Workplace place;
  place.write("pendulum.yaml", pendulum);
  for (const std::string compliance : {"1e-3", "1e-4"}) {
    const Outcome outcome = place.run(
        "check-gradient pendulum.yaml --json --quiet --steps 10 --out run --set "
        "'constraints=[{distance: {edges: mesh, damping: 0.2, compliance: " +
        compliance + "}}]'");
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    const auto result = outcome.json();
    CHECK(result["passed"] == true);
    bool length = false;
    for (const auto& block : result["blocks"]) length = length || block["name"] == "distance_length";
    CHECK(length);
    fs::remove_all(place / "run");
  }
}
