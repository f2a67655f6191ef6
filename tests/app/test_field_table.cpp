// The field that an experiment takes from a file of numbers.

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <vector>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using pithball::test::Outcome;
using pithball::test::Workplace;

namespace {

/// φ = 50 s² V over s = −0.2 … 0.2 m, in mm and mV, below a line of names.
std::string parabola() {
  std::string text = "s,phi\n";
  for (int k = -200; k <= 200; k += 10) text += fmt::format("{},{}\n", k, 1e3 * 50e-6 * k * k);
  return text;
}

/// φ = 30 x + 20 y z V on a grid of 3×4×5 nodes in cm, z running fastest.
std::string saddle() {
  std::string text;
  for (int i = -10; i <= 10; i += 10)
    for (int j = -15; j <= 15; j += 10)
      for (int k = -20; k <= 20; k += 10)
        text += fmt::format("{} {} {} {}\n", i, j, k, 30 * 1e-2 * i + 20 * 1e-4 * j * k);
  return text;
}

std::string particle_in(const std::string& field, const std::string& velocity = "[0, 0, 0]") {
  return "name: particle\nsystem: {vertices: [[0.04, 0.01, 0.02]], springs: none, mass: 2, charge: 0.5, velocities: " +
         velocity + "}\nforces:\n  - electric_field: " + field +
         "\nsimulation: {integrator: velocity_verlet, time_step: 0.01, duration: 0.2}\n";
}

/// x, y, z, potential, ex, ey, ez of the last line of a file. (Without the body's own charge: its field would add.)
std::vector<double> last_row(const std::filesystem::path& file) {
  const std::string csv = pithball::test::read_text(file);
  std::istringstream last(csv.substr(csv.rfind('\n', csv.size() - 2) + 1));
  std::vector<double> cells;
  for (std::string cell; std::getline(last, cell, ',');) cells.push_back(std::stod(cell));
  return cells;
}

}  // namespace

TEST_CASE("field table: a potential in mm and mV keeps the energy and has the field of its parabola", "[app][field]") {
  const Workplace place;
  place.write("phi.csv", parabola());
  place.write("a.yaml", particle_in("{table: phi.csv, scale: 1 mm, potential_scale: 1 mV}"));
  const Outcome run = place.run("simulate a.yaml --out run --json");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const Outcome field =
      place.run("field a.yaml --total --set system.charge=0 --line 0,0,0,0.1,0,0 --samples 2 --out f.csv --json");
  INFO(field.err);
  REQUIRE(field.status == 0);
  const std::vector<double> cells = last_row(place / "f.csv");
  CHECK(cells.at(3) == Approx(0.5).epsilon(1e-5));  // 50 · 0.1² V; a natural spline is that close there
  CHECK(cells.at(4) == Approx(-10).epsilon(1e-4));  // V/m
}

TEST_CASE("field table: lines of % above and between the numbers are remarks, as COMSOL writes them", "[app][field]") {
  const Workplace place;
  std::string remarks =
      "% Model:              trap.mph\n% Nodes:              60\n% Length unit:        cm\n% x y z V (V)\n";
  remarks += saddle();
  remarks.insert(remarks.find('\n', remarks.size() / 2) + 1, "% another part, of the same grid\n");
  place.write("plain.txt", saddle());
  place.write("comsol.txt", remarks + "% the end\n");
  for (const std::string name : {"plain", "comsol"}) {
    place.write(name + ".yaml", particle_in("{table: " + name + ".txt, scale: 1 cm}"));
    const Outcome field = place.run("field " + name +
                                    ".yaml --total --set system.charge=0 --line 0,0,0,0.03,0.05,0.07 "
                                    "--samples 5 --out " +
                                    name + ".csv");
    INFO(field.err);
    REQUIRE(field.status == 0);
  }
  CHECK(last_row(place / "comsol.csv") == last_row(place / "plain.csv"));
}

TEST_CASE("field table: a grid in cm, in any order of its rows", "[app][field]") {
  const Workplace place;
  place.write("phi.txt", saddle());
  place.write("a.yaml", particle_in("{table: phi.txt, scale: 1 cm, origin: [0, 0, 0.01]}", "[0.5, 0, 0]"));
  REQUIRE(place.run("simulate a.yaml --out run").status == 0);
  REQUIRE(place.run("field a.yaml --total --set system.charge=0 --line 0,0,0,0.03,0.05,0.07 --samples 2 --out f.csv")
              .status == 0);
  const std::vector<double> cells = last_row(place / "f.csv");
  // φ is linear in each coordinate, which natural splines reproduce: rounding only.
  CHECK(cells.at(3) == Approx(30 * 0.03 + 20 * 0.05 * 0.06).epsilon(1e-12));
  CHECK(cells.at(4) == Approx(-30).epsilon(1e-12));
  CHECK(cells.at(5) == Approx(-20 * 0.06).epsilon(1e-12));
  CHECK(cells.at(6) == Approx(-20 * 0.05).epsilon(1e-12));
}

TEST_CASE("field table: points outside it are nan, inside it they have the field", "[app][field]") {
  const Workplace place;
  place.write("phi.csv", parabola());
  place.write("a.yaml", particle_in("{table: phi.csv, scale: 1 mm, potential_scale: 1 mV}"));
  const Outcome field =
      place.run("field a.yaml --total --set system.charge=0 --line=-0.3,0,0,0.3,0,0 --samples 6 --out f.csv --json");
  INFO(field.err);
  REQUIRE(field.status == 0);
  CHECK(field.json()["nan_points"] == 2);  // s = ±0.3 m; the next are ±0.18 m, the last nodes ±0.2 m
}

TEST_CASE("field table: a particle that leaves it ends the run, and what makes no sense is rejected",
          "[app][field][error]") {
  const Workplace place;
  place.write("phi.csv", parabola());
  place.write("holes.csv", "s,phi\n0,1\n1,\n");
  place.write("twice.csv", "0 1\n0 2\n");
  place.write("three.csv", "0 1 2\n1 2 3\n");
  const std::string good = "table: phi.csv, scale: 1 mm, potential_scale: 1 mV";
  place.write("fast.yaml", particle_in("{" + good + "}", "[3, 0, 0]"));
  const Outcome fast = place.run("simulate fast.yaml --out fast --json");
  CHECK(fast.status == 1);
  CHECK(fast.json()["status"] == "diverged");
  place.write("open.yaml", particle_in("{" + good + ", outside: linear}", "[3, 0, 0]"));
  CHECK(place.run("simulate open.yaml --out open").status == 0);

  const auto rejected = [&](const std::string& field, const std::string& complaint) {
    place.write("bad.yaml", particle_in(field));
    const Outcome outcome = place.run("simulate bad.yaml --out bad");
    INFO(field << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(complaint) != std::string::npos);
  };
  rejected("{table: nowhere.csv}", "bad.yaml:4");
  rejected("{table: holes.csv}", "holes.csv:3");
  rejected("{table: twice.csv}", "must be greater than the node before");
  rejected("{table: three.csv}", "must have two columns (s, φ) or four");
  rejected("{" + good + ", quantity: charge}", "must be one of potential, field");
  rejected("{" + good + ", knot_spacing: 0.01 mm}", "fewer nodes");
  rejected("{" + good + ", from: 2, until: 1}", "must be later than `from`");
  rejected("{" + good + ", time_constant: -1}", "must be >= 0");
  rejected("{" + good + ", axis: [0, 0, 0]}", "must be a direction");
  rejected("{" + good + ", origin: [5, 0, 0]}", "must have a value at every charged particle");
  rejected("{" + good + ", color: red}", "is not a known key");
}
