// The shapes that `system.mesh` can name, and meshes from files, through the program.

#include <map>
#include <sstream>

#include "app/experiment/shapes/shape.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;
using pithball::app::ShapeInfo;
using pithball::app::shapes;

namespace {

/// What each shape must be told; the rest has defaults.
const std::map<std::string, std::string> required_settings{
    {"torus", "major_radius: 4, minor_radius: 1.5"},
    {"sphere", "radius: 1"},
    {"grid", "size: [1, 2]"},
    {"chain", "length: 1"},
    {"beam", "radius: 0.1, length: 1"},
    {"tube", "radius: 0.1, length: 1"},
    {"random_cloud", ""},
    {"duck", "size: 4, vertices: 150"},
    {"bunny", "size: 4, vertices: 150"},
    {"implicit",
     "size: 1, vertices: 120, parts: [{name: middle, ellipsoid: {center: [0, 0, 0], radii: [1, 1, 1]}}, "
     "{name: arm, limb: {from: [0, 0, 0], to: [3, 0, 0], radii: [0.6, 0.4]}}]"},
    {"lattice", "spacing: 0.3"},
    {"tshirt", "vertices: 250"},
};

std::string experiment(const std::string& mesh, const std::string& springs = "{stiffness: 10}") {
  return "name: e\nsystem:\n  mesh: {" + mesh + "}\n  mass: 0.01\n  charge: 1 nC\n  springs: " + springs +
         "\nforces: [{gravity: [0, 0, -9.81]}, coulomb]\n"
         "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.03}\n";
}

}  // namespace

TEST_CASE("shapes: each is described, pictured, and moves under springs and charges", "[app][mesh]") {
  const Workplace place;
  const std::string page = read_text(fs::path(pithball::tests::source_folder) / "docs/meshes.md");
  for (const ShapeInfo& shape : shapes()) {
    CAPTURE(shape.name);
    REQUIRE(required_settings.count(shape.name) == 1);
    CHECK(page.find("`" + shape.name + "`") != std::string::npos);
    const std::string picture = "images/shape-" + shape.name + ".png";
    CHECK(page.find("(" + picture + ")") != std::string::npos);
    const std::string bytes = read_text(fs::path(pithball::tests::source_folder) / "docs" / picture);
    CHECK(bytes.substr(1, 3) == "PNG");
    CHECK(bytes.size() < 60'000);  // together they load with the page

    const bool springs = shape.name != "random_cloud" && shape.name != "lattice";
    place.write("e.yaml", experiment(shape.name + ": {" + required_settings.at(shape.name) + "}",
                                     springs ? "{stiffness: 10}" : "none"));
    const Outcome mesh = place.run("mesh e.yaml --json");
    INFO(mesh.err);
    REQUIRE(mesh.status == 0);
    CHECK((mesh.json()["springs"].get<int>() > 0) == springs);
    const nlohmann::json groups = mesh.json()["vertex_groups"];
    for (const auto& [group, size] : groups.items()) {
      CAPTURE(group);
      const std::string stem = group.substr(0, group.find_first_of("0123456789_"));
      CHECK((shape.name == "implicit" || shape.meaning.find(stem) != std::string::npos));
    }
    const Outcome run = place.run("simulate e.yaml --json --out " + shape.name);
    INFO(run.err);
    CHECK(run.status == 0);
  }
}

TEST_CASE("shapes: the program makes the same mesh each time it runs", "[app][mesh]") {
  const Workplace place;
  for (const std::string shape : {"duck: {size: 1, vertices: 120}", "tshirt: {vertices: 200}"}) {
    place.write("e.yaml", experiment(shape));
    for (const std::string file : {"first.obj", "second.obj"}) {
      fs::remove(place / file);
      REQUIRE(place.run("mesh e.yaml --to " + file).status == 0);
    }
    CHECK((read_text(place / "first.obj") == read_text(place / "second.obj")));
  }
}

TEST_CASE("shapes: the rings of a tube can be rigid links while the springs between them give",
          "[app][mesh][constraint]") {
  const Workplace place;
  place.write("tube.yaml", R"yaml(name: tube
system:
  mesh: {tube: {length: 0.3, radius: 3 cm, sides: 6, segments: 5}}
  springs: {stiffness: {longitudinal: 200, diagonal: 50, ring: 0}}
  mass: {all: {total: 0.2}}
  pinned: [top]
  velocities: {bottom: [0.5, 0, 0]}
forces: [{gravity: [0, 0, -9.81]}]
constraints: [{distance: {edges: ring}}]
simulation: {integrator: xpbd, time_step: 2 ms, duration: 0.2 s}
)yaml");
  const Outcome run = place.run("simulate tube.yaml --out run --json --quiet");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto states = pithball::datasets::read_h5md((place / "run/trajectory.h5").string()).trajectory.states;
  const pithball::sim::Points &before = states.front().x, &after = states.back().x;
  double stretch = 0;
  for (int ring = 0; ring <= 5; ++ring)
    for (int side = 0; side < 6; ++side) {
      const int i = 6 * ring + side, next = 6 * ring + (side + 1) % 6;
      CHECK((before.col(i) - before.col(next)).norm() == Approx(0.03).epsilon(1e-12));
      CHECK((after.col(i) - after.col(next)).norm() == Approx(0.03).epsilon(1e-3));
      if (ring > 0) stretch = std::max(stretch, (after.col(i) - after.col(i - 6)).norm() / 0.06 - 1);
    }
  CHECK(stretch > 0.01);
  // At compliance 0 the derivative with respect to it is one-sided: differences do not confirm it
  // (docs/constraints.md).
  const Outcome gradient = place.run(
      "check-gradient tube.yaml --steps 10 --out gradient --json --quiet --set "
      "'constraints=[{distance: {edges: ring, compliance: 1e-3, damping: 0.2}}]'");
  INFO(gradient.out << gradient.err);
  CHECK(gradient.json()["passed"] == true);
}

TEST_CASE("shapes: rest lengths of a pattern are shorter than those drawn, and need a pattern", "[app][mesh]") {
  const Workplace place;
  const auto elastic_energy = [&](const std::string& rest_length) {
    place.write("e.yaml", experiment("tshirt: {vertices: 200, bend: false}",
                                     "{stiffness: 10, rest_length: " + rest_length + "}"));
    fs::remove_all(place / "run");
    const Outcome run = place.run("simulate e.yaml --out run");
    INFO(run.err);
    REQUIRE(run.status == 0);
    std::istringstream table(read_text(place / "run/energy.csv"));
    std::string header, first;
    while (std::getline(table, header) && header.rfind("step", 0) != 0) {
    }
    std::getline(table, first);
    std::istringstream names(header), values(first);
    std::string name, value;
    while (std::getline(names, name, ',') && std::getline(values, value, ','))
      if (name.rfind("elastic", 0) == 0) return std::stod(value);
    FAIL("no column elastic in " << header);
    return 0.0;
  };
  CHECK(elastic_energy("mesh") == 0);
  CHECK(elastic_energy("pattern") > 1e-6);

  place.write("e.yaml", experiment("sphere: {radius: 1}", "{stiffness: 10, rest_length: pattern}"));
  const Outcome rejected = place.run("simulate e.yaml");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("rest_length: must be `mesh` or lengths, as this mesh has no pattern") != std::string::npos);
}

TEST_CASE("shapes: mistakes are rejected with their place", "[app][mesh][error]") {
  const Workplace place;
  const auto rejects = [&](const std::string& mesh, const std::string& what) {
    place.write("e.yaml", experiment(mesh));
    const Outcome outcome = place.run("simulate e.yaml");
    CAPTURE(mesh, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("e.yaml:3:") != std::string::npos);
    CHECK(outcome.err.find(what) != std::string::npos);
    CHECK(!fs::exists(place / "runs"));
  };
  rejects("torus: {major_radius: 4, minor_radius: 1, segments: [4611686018427387904, 4]}",
          "must give at most 10000000 points, got 4611686018427387904 x 4");
  rejects("grid: {size: [1, 1], segments: [9223372036854775807, 1]}", "must give at most 10000000 points");
  rejects(
      "implicit: {size: 1, parts: [{name: a, limb: {from: [0, 0, 0], to: [1, 0, 0], radii: [1, 1]}}, "
      "{name: b, ellipsoid: {center: [800, 0, 0], radii: [1, 1, 1]}}]}",
      "part 'b': must touch the others");
  rejects("duck: {size: 4, vertices: 50}", "must give 100 to a million vertices");
  rejects("duck: {size: 4, vertices: 500, edge_length: 0.3}", "must not be given together with `edge_length`");
  rejects("duck: {vertices: 500}", "size");
  rejects("duck: {size: 4}, bend: true", "requires `file`");
  rejects("sphere: {radius: 1}, remesh: {edge_length: 1}", "requires `file`");
  rejects("implicit: {size: 1, parts: []}", "parts");
  rejects("implicit: {size: 1, parts: [{name: a}]}", "must be either an `ellipsoid` or a `limb`");
  rejects("implicit: {size: 1, parts: [{name: a, limb: {from: [0, 0, 0], to: [1, 0, 0], radii: [1]}}]}",
          "must be two numbers");
  rejects("implicit: {size: 1, parts: [{name: a, limb: {from: [0, 0, 0], to: [0, 0, 0], radii: [1, 1]}}]}",
          "must have two different ends");
}

TEST_CASE("mesh files: remeshed to a chosen edge, and braced against bending", "[app][mesh]") {
  const Workplace place;
  place.write("ball.yaml", experiment("sphere: {radius: 0.5, segments: 10}"));
  REQUIRE(place.run("mesh ball.yaml --to ball.obj").status == 0);
  place.write("e.yaml", experiment("file: ball.obj, scale: 2, remesh: {edge_length: 0.3}, bend: true"));
  const Outcome mesh = place.run("mesh e.yaml --json");
  INFO(mesh.err);
  REQUIRE(mesh.status == 0);
  // A sphere of area 4π: about 2·4π / (√3·0.3²) = 161 vertices; remeshing keeps to its edge within some ten per cent.
  CHECK(mesh.json()["vertices"].get<double>() == Approx(161).epsilon(0.25));
  const int edges = mesh.json()["spring_groups"]["edge"];
  // Closed: one for each edge, but where the corners on both sides are joined already.
  CHECK(mesh.json()["spring_groups"]["bend"].get<int>() <= edges);
  CHECK(mesh.json()["spring_groups"]["bend"].get<int>() > 0.98 * edges);
  CHECK(place.run("simulate e.yaml").status == 0);
}

TEST_CASE("mesh files: what cannot be remeshed is rejected", "[app][mesh][error]") {
  const Workplace place;
  place.write("fins.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n");
  place.write("e.yaml", experiment("file: fins.obj, remesh: {edge_length: 0.3}"));
  const Outcome outcome = place.run("simulate e.yaml");
  CHECK(outcome.status == 2);
  INFO(outcome.err);
  CHECK(outcome.err.find("branches") != std::string::npos);
  CHECK(outcome.err.find("e.yaml:3:") != std::string::npos);
}

TEST_CASE("shapes: parts are side by side with groups of their names", "[app][mesh]") {
  const Workplace place;
  const std::string parts =
      "parts: [{name: rope, mesh: {chain: {length: 1, segments: 2}}}, "
      "{name: ball, mesh: {sphere: {radius: 0.2, segments: 1}, translate: [3, 0, 0]}}]";
  place.write("e.yaml", experiment(parts, "{stiffness: {rope: 5, rest: 2}}"));
  const Outcome mesh = place.run("mesh e.yaml --json");
  INFO(mesh.err);
  REQUIRE(mesh.status == 0);
  const nlohmann::json groups = mesh.json()["vertex_groups"];
  CHECK(groups["rope"] == 3);
  CHECK(groups["ball"] == 12);
  CHECK(groups["rope_top"] == 1);
  CHECK(groups["top"].get<int>() == groups["rope_top"].get<int>() + groups["ball_top"].get<int>());
  CHECK(mesh.json()["springs"] == 2 + 30);
  CHECK(place.run("simulate e.yaml --quiet").status == 0);
  place.write("twice.yaml",
              experiment("parts: [{name: a, mesh: {chain: {length: 1}}}, {name: a, mesh: {chain: {length: 2}}}]"));
  const Outcome twice = place.run("mesh twice.yaml");
  CHECK(twice.status == 2);
  CHECK(twice.err.find("must have names that differ") != std::string::npos);
}
