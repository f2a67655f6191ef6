#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <vector>

#include "sim/core/types.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;
using pithball::sim::coulomb_constant;
using pithball::sim::Vec3;

namespace {

/// An experiment of charges at rest, with forces as given.
std::string charges(const std::string& vertices, const std::string& charge, const std::string& forces = "[coulomb]") {
  return "name: still\nsystem: {vertices: " + vertices + ", mass: 1, charge: " + charge + "}\nforces: " + forces +
         "\nsimulation: {time_step: 0.01, duration: 0.1}\n";
}

/// Rows of numbers below comments and header.
std::vector<std::vector<double>> rows_of(const fs::path& file) {
  std::istringstream lines(read_text(file));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 'x') continue;
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}

/// Numbers of the k-th appended array of a VTK file.
std::vector<double> appended(const std::string& text, int k) {
  std::size_t at = text.find("<AppendedData");
  REQUIRE(at != std::string::npos);
  at = text.find('_', at) + 1;
  for (int skip = 0;; ++skip) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    at += sizeof bytes;
    REQUIRE(at + bytes <= text.size());
    if (skip == k) {
      std::vector<double> numbers(bytes / sizeof(double));
      std::memcpy(numbers.data(), text.data() + at, bytes);
      return numbers;
    }
    at += bytes;
  }
}

}  // namespace

TEST_CASE("field: a single charge has Coulomb's field and potential along a line", "[app][field]") {
  const Workplace place;
  place.write("one.yaml", charges("[[1, 0, 0]]", "2 uC"));
  const Outcome outcome = place.run("field one.yaml --line -1,0,0,3,0,0 --samples 5 --out line.csv --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["nan_points"] == 1);
  CHECK(outcome.json()["points"] == 5);
  CHECK(outcome.json()["strongest_field"].get<double>() == Approx(coulomb_constant * 2e-6).epsilon(1e-14));
  const auto rows = rows_of(place / "line.csv");
  REQUIRE(rows.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    const double r = static_cast<double>(k) - 2;  // x − 1
    REQUIRE(rows[k].size() == 7);
    CHECK(rows[k][0] == r + 1);
    if (r == 0) {  // on the charge
      for (std::size_t c = 3; c < 7; ++c) CHECK(std::isnan(rows[k][c]));
      continue;
    }
    CHECK(rows[k][3] == Approx(coulomb_constant * 2e-6 / std::abs(r)).epsilon(1e-14));
    CHECK(rows[k][4] == Approx(std::copysign(coulomb_constant * 2e-6 / (r * r), r)).epsilon(1e-14));
    CHECK(rows[k][5] == 0);
    CHECK(rows[k][6] == 0);
  }
}

TEST_CASE("field: a dipole's potential vanishes on its middle plane, where its field is known", "[app][field]") {
  const Workplace place;
  place.write("dipole.yaml", charges("[[0, 0, 0.5], [0, 0, -0.5]]", "[1e-6, -1e-6]"));
  REQUIRE(place.run("field dipole.yaml --grid 7,5,1 --box=-3,-2,-1,3,2,1 --out plane.vti").status == 0);
  const std::string text = read_text(place / "plane.vti");
  CHECK(text.find("<ImageData WholeExtent=\"0 6 0 4 0 0\" Origin=\"-3 -2 0\" Spacing=\"1 1 1\">") != std::string::npos);
  const auto potential = appended(text, 0), field = appended(text, 1);
  REQUIRE(potential.size() == 35);
  REQUIRE(field.size() == 105);
  for (std::size_t b = 0; b < 5; ++b)
    for (std::size_t a = 0; a < 7; ++a) {  // x changes fastest
      const double x = static_cast<double>(a) - 3, y = static_cast<double>(b) - 2, d2 = x * x + y * y + 0.25;
      const std::size_t k = 7 * b + a;
      CHECK(std::abs(potential[k]) < 1e-9);  // two potentials of about 1e4 V cancel
      CHECK(field[3 * k + 2] == Approx(-coulomb_constant * 1e-6 / (d2 * std::sqrt(d2))).epsilon(1e-13));
      CHECK(std::abs(field[3 * k]) < 1e-9);
    }
}

TEST_CASE("field: a line in VTK holds the same numbers as in CSV", "[app][field]") {
  const Workplace place;
  place.write("body.yaml", small_experiment);
  const std::string line = "field body.yaml --line 0,0,-1,0.3,2,1 --samples 17 --out ";
  REQUIRE(place.run(line + "a.csv").status == 0);
  REQUIRE(place.run(line + "a.vtp").status == 0);
  const auto rows = rows_of(place / "a.csv");
  const std::string text = read_text(place / "a.vtp");
  const auto potential = appended(text, 0), field = appended(text, 1), points = appended(text, 2);
  REQUIRE(rows.size() == 17);
  REQUIRE(points.size() == 51);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CHECK(potential[k] == rows[k][3]);
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(points[3 * k + c] == rows[k][c]);
      CHECK(field[3 * k + c] == rows[k][4 + c]);
    }
  }
}

TEST_CASE("field: the default grid surrounds the body", "[app][field]") {
  const Workplace place;
  place.write("body.yaml", small_experiment);
  const auto result = place.run("field body.yaml --grid 4,5,6 --out a.csv --json").json();
  CHECK(result["points"] == 120);
  CHECK(result["from"] == nlohmann::json({-0.25, -0.25, -0.25}));
  CHECK(result["to"] == nlohmann::json({1.25, 1.25, 0.25}));
  CHECK(rows_of(place / "a.csv").size() == 120);
}

TEST_CASE("field --total: external charges and fields join, by the law of each", "[app][field]") {
  const Workplace place;
  const std::string forces =
      "[{coulomb: {softening: 3}}, {gravity: [0, 0, -9.81]}, {electric_field: [10, 0, 0]}, "
      "{point_charge: {charge: 3 uC, position: [0, 0, 5]}}]";
  place.write("body.yaml", charges("[[0, 0, 0]]", "1 uC", forces));
  const std::string line = "field body.yaml --line 4,0,0,4,0,10 --samples 2 ";
  REQUIRE(place.run(line + "--out own.csv").status == 0);
  REQUIRE(place.run(line + "--total --out total.csv").status == 0);
  const auto own = rows_of(place / "own.csv"), total = rows_of(place / "total.csv");
  const double k = coulomb_constant * 1e-6;
  CHECK(own[0][3] == Approx(k / 5).epsilon(1e-14));  // √(16 + 9)
  CHECK(own[0][4] == Approx(k * 4 / 125).epsilon(1e-14));
  const double r2 = 16 + 25, r = std::sqrt(r2);
  CHECK(total[0][3] - own[0][3] == Approx(3 * k / r - 40).epsilon(1e-12));
  CHECK(total[0][4] - own[0][4] == Approx(3 * k * 4 / (r2 * r) + 10).epsilon(1e-12));
  CHECK(total[0][6] - own[0][6] == Approx(-3 * k * 5 / (r2 * r)).epsilon(1e-12));
  // Without charges there is still the external field.
  place.write("neutral.yaml", charges("[[0, 0, 0]]", "0", "[{electric_field: [0, 7, 0]}]"));
  REQUIRE(place.run("field neutral.yaml --total --line 0,0,0,1,0,0 --samples 2 --out n.csv").status == 0);
  CHECK(rows_of(place / "n.csv")[1][5] == 7);
  // A field that is not uniform has no potential here.
  place.write("swirl.yaml", charges("[[0, 0, 0]]", "0", "[{electric_field: {expression: [\"-y\", \"x\", \"0\"]}}]"));
  const Outcome swirl = place.run("field swirl.yaml --total --line 1,2,0,3,4,0 --samples 2 --out s.csv --json");
  REQUIRE(swirl.status == 0);
  CHECK(swirl.json()["potential"].is_null());
  CHECK(rows_of(place / "s.csv")[1] == std::vector<double>{3, 4, 0, -4, 3, 0});
}

TEST_CASE("field: screened charges have a screened field", "[app][field]") {
  const Workplace place;
  place.write("screened.yaml", charges("[[0, 0, 0], [3, 0, 0]]", "[1 uC, 0]",
                                       "[screened_coulomb: {relative_permittivity: 80, screening_length: 0.1 m}]"));
  const Outcome outcome = place.run("field screened.yaml --line 1,0,0,2,0,0 --samples 2 --out a.csv --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["forces"] == nlohmann::json::array({"screened_coulomb"}));
  CHECK(outcome.json()["assumed_coulomb"] == false);
  const auto rows = rows_of(place / "a.csv");
  const double phi = coulomb_constant * 1e-6 * std::exp(-10) / 80;
  CHECK(phi == Approx(0.0051).epsilon(1e-3));
  CHECK(rows[0][3] == Approx(phi).epsilon(1e-13));
  CHECK(rows[0][4] == Approx(11 * phi).epsilon(1e-13));  // (1 + κr)/r
}

TEST_CASE("field: a grounded plane has potential 0, and there is no field behind it", "[app][field]") {
  const Workplace place;
  const std::string charge = "[1 uC, 0]", line = " --line 1,0,0,1,0,2 --samples 3 --out ";
  place.write("image.yaml", charges("[[0, 0, 1], [3, 0, 1]]", charge, "[coulomb: {}, image_plane: {}]"));
  place.write("alone.yaml", charges("[[0, 0, 1], [3, 0, 1]]", charge, "[image_plane: {}]"));
  const double k = coulomb_constant * 1e-6;
  const Outcome both = place.run("field image.yaml" + line + "a.csv");
  REQUIRE(both.status == 0);
  CHECK(both.out.find("  forces           coulomb, image_plane\n") != std::string::npos);
  CHECK(read_text(place / "a.csv").find(", by coulomb, image_plane\n") != std::string::npos);
  const auto rows = rows_of(place / "a.csv");
  CHECK(std::abs(rows[0][3]) < 1e-14 * k);  // rounding of two potentials of k/√2
  CHECK(rows[0][6] == Approx(-k * 2 / std::pow(2, 1.5)).epsilon(1e-13));
  CHECK(std::abs(rows[0][4]) < 1e-14 * k);
  CHECK(rows[1][3] == Approx(k * (1 - 1 / std::sqrt(5))).epsilon(1e-13));
  // A model with images, but without a force between charges, has that of `coulomb`.
  const Outcome alone = place.run("field alone.yaml" + line + "b.csv --json");
  REQUIRE(alone.status == 0);
  CHECK(alone.json()["forces"] == nlohmann::json::array({"image_plane", "coulomb"}));
  CHECK(alone.json()["assumed_coulomb"] == true);
  CHECK(rows_of(place / "b.csv") == rows);
  const auto behind = place.run("field image.yaml --line 1,0,-1,1,0,1 --samples 3 --out c.csv --json").json();
  CHECK(behind["nan_points"] == 1);
  CHECK(std::isnan(rows_of(place / "c.csv")[0][3]));
}

TEST_CASE("field --total: a potential with the weight of the charge is an external source", "[app][field]") {
  const Workplace place;
  place.write("potential.yaml", charges("[[0, 0, 1], [3, 0, 1]]", "[1 uC, 1 uC]",
                                        "[field_potential: {weight: charge, expression: \"1000*x\"}]"));
  place.write("energy.yaml", charges("[[0, 0, 1], [3, 0, 1]]", "[1 uC, 1 uC]",
                                     "[field_potential: {weight: mass, expression: \"1000*x\"}]"));
  const std::string line = " --line 1,0,0,2,0,0 --samples 2 --out ";
  REQUIRE(place.run("field potential.yaml" + line + "own.csv").status == 0);
  const auto result = place.run("field potential.yaml --total --json" + line + "total.csv").json();
  CHECK(result["forces"] == nlohmann::json::array({"field_potential", "coulomb"}));
  const double k = coulomb_constant * 1e-6, own = k / std::pow(2, 1.5) - 2 * k / std::pow(5, 1.5);
  CHECK(own == Approx(1569.84).epsilon(1e-5));
  CHECK(rows_of(place / "own.csv")[0][4] == Approx(own).epsilon(1e-13));
  CHECK(rows_of(place / "total.csv")[0][4] == Approx(own - 1000).epsilon(1e-13));
  CHECK(rows_of(place / "total.csv")[0][3] - rows_of(place / "own.csv")[0][3] == Approx(1000).epsilon(1e-12));
  REQUIRE(place.run("field energy.yaml --total" + line + "energy.csv").status == 0);
  CHECK(rows_of(place / "energy.csv") == rows_of(place / "own.csv"));
}

TEST_CASE("field: of a force with `select` it is that of the selected charges", "[app][field]") {
  const Workplace place;
  const auto with = [&](const std::string& file, const std::string& charge, const std::string& forces) {
    place.write(file + ".yaml", charges("[[0, 0, 0], [0, 0, 1], [1, 0, 0]]", charge, forces));
    const Outcome outcome = place.run("field " + file + ".yaml --line 2,1,0,3,1,1 --samples 3 --out " + file + ".csv");
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return rows_of(place / (file + ".csv"));
  };
  const auto some = with("some", "[1e-6, 5e-6, -3e-6]", "[{coulomb: {}, select: [0, 2]}]");
  CHECK(some == with("others", "[1e-6, 0, -3e-6]", "[coulomb]"));
  CHECK(some != with("all", "[1e-6, 5e-6, -3e-6]", "[coulomb]"));
}

TEST_CASE("field: emitted charges count, with the forces on what they are like", "[app][field]") {
  const Workplace place;
  place.write("jet.yaml", R"(name: jet
system: {vertices: [[0, 0, 0], [5, 0, 0]], mass: 1, charge: [1 uC, 0], pinned: [0, 1]}
forces: [{coulomb: {}, select: [0]}, {electric_field: [0, 0, 3], select: [0]}]
population:
  seed: 1
  emitters: [{point: {at: [0, 0, 1], rate: 10, velocity: [0, 0, 1], template: [0]}}]
simulation: {integrator: velocity_verlet, time_step: 0.01, duration: 0.1}
)");
  REQUIRE(place.run("simulate jet.yaml --out run").status == 0);
  const Outcome outcome = place.run("field run --total --line 1,0,0,2,0,0 --samples 2 --out a.csv --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["charged_particles"] == 2);
  CHECK(outcome.json()["forces"] == nlohmann::json::array({"coulomb", "electric_field"}));
  const double potential = rows_of(place / "a.csv")[0][3], k = coulomb_constant * 1e-6;
  CHECK(potential > k + 0.5 * k);  // the emitted one is less than 2 m away
  CHECK(potential < k + k);        // and more than 1 m
}

TEST_CASE("field: softened charges have a value at their own place", "[app][field]") {
  const Workplace place;
  place.write("one.yaml", charges("[[0, 0, 0]]", "1 uC", "[{coulomb: {softening: 2}}]"));
  REQUIRE(place.run("field one.yaml --line 0,0,0,1,0,0 --samples 2 --out a.csv").status == 0);
  CHECK(rows_of(place / "a.csv")[0][3] == Approx(coulomb_constant * 0.5e-6).epsilon(1e-14));
}

TEST_CASE("field: a run folder gives its snapshots", "[app][field]") {
  const Workplace place;
  place.write("body.yaml", small_experiment);
  REQUIRE(place.run("simulate body.yaml --out run").status == 0);
  const std::string line = "--line 0.3,0.4,0,2,2,2 --samples 3 --json ";
  const auto at = [&](const std::string& arguments) {
    const Outcome outcome = place.run("field " + arguments);
    CAPTURE(arguments, outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.json()["time"].get<double>();
  };
  at("body.yaml " + line + "--out initial.csv");
  CHECK(at("run " + line + "--time 0 --out first.csv") == 0);
  CHECK(at("run " + line + "--time 0.104 --out middle.csv") == Approx(0.1));
  CHECK(at("run " + line + "--out last.csv") == Approx(0.2));
  CHECK(rows_of(place / "first.csv") == rows_of(place / "initial.csv"));
  CHECK(rows_of(place / "last.csv") != rows_of(place / "middle.csv"));
}

TEST_CASE("field: whatever is wrong ends with status 2 and leaves no file", "[app][field][error]") {
  const Workplace place;
  place.write("body.yaml", small_experiment);
  place.write("neutral.yaml", charges("[[0, 0, 0]]", "0"));
  place.write("bad.yaml", replaced(small_experiment, "mass: 0.1", "mass: -1"));
  place.write("old.csv", "precious");
  place.write("folder/file", "no run");
  const std::string before = place.listing();
  struct Mistake {
    const char* arguments;
    const char* message;
  };
  const Mistake mistakes[] = {
      {"body.yaml", "--out"},
      {"body.yaml --out a.txt", "must end in .vti or .csv for a grid"},
      {"body.yaml --out a.vtp", "must end in .vti or .csv for a grid"},
      {"body.yaml --out a.vti --line 0,0,0,1,1,1", "must end in .vtp or .csv for a line"},
      {"body.yaml --out old.csv", "must not exist yet"},
      {"body.yaml --out nowhere/a.csv", "check that its folder exists"},
      {"body.yaml --out a.csv --grid 4,4", "--grid: must be three numbers"},
      {"body.yaml --out a.csv --grid 4,0,4", "--grid: must be three numbers"},
      {"body.yaml --out a.csv --grid 4,4.5,4", "--grid: must be three numbers"},
      {"body.yaml --out a.csv --grid 1000,1000,1000", "together at most 1e8"},
      {"body.yaml --out a.csv --box 0,0,0,1,1", "--box: must be two points"},
      {"body.yaml --out a.csv --box 0,0,0,1,1,nan", "--box: must be two points"},
      {"body.yaml --out a.csv --box 0,0,0,1,1,", "--box: must be two points"},
      {"body.yaml --out a.csv --box 0,0,0,1,-1,1", "along y"},
      {"body.yaml --out a.csv --line 0,0,0,0,0,0", "two different points"},
      {"body.yaml --out a.csv --line a,b,c,0,0,0", "--line: must be two points"},
      {"body.yaml --out a.csv --line 0,0,0,1,0,0 --grid 4,4,4", "--help"},
      {"body.yaml --out a.csv --line 0,0,0,1,0,0 --samples 1", "--help"},
      {"body.yaml --out a.csv --samples 10", "--help"},
      {"body.yaml --out a.csv --time 1", "needs a run folder"},
      {"body.yaml --out a.csv --set system.mas=1", "--set"},
      {"bad.yaml --out a.csv", "must be > 0 kg"},
      {"neutral.yaml --out a.csv", "must give at least one particle a non-zero charge"},
      {"missing.yaml --out a.csv", "missing.yaml"},
      {"folder --out a.csv", "run.yaml"},
  };
  for (const auto& mistake : mistakes) {
    const Outcome outcome = place.run(std::string("field ") + mistake.arguments);
    CAPTURE(mistake.arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(mistake.message) != std::string::npos);
    CHECK(outcome.out.empty());
    CHECK(place.listing() == before);
  }
  CHECK(read_text(place / "old.csv") == "precious");
}
