#include <cmath>
#include <map>
#include <sstream>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/outside_program.hpp"

// LAMMPS itself judges what we write for it: energies of the start, then the motion.

using namespace pithball::test;
using pithball::sim::Points;
using pithball::sim::State;

namespace {

/// Charged, pinned at two places, masses of two kinds; the last part is for tests to vary.
std::string torus(const std::string& forces, const std::string& simulation) {
  return R"(name: torus
system:
  mesh: {torus: {major_radius: 4, minor_radius: 1.5, segments: [29, 5]}}
  groups: {heavy: {vertices: [10, 11, 12]}}
  mass: {heavy: 0.25, rest: 0.1}
  charge: {heavy: -2 uC, rest: 6 uC}
  pinned: [0, 70]
  velocities: [0.1, -0.2, 0.3]
  springs: {stiffness: 10}
forces: )" +
         forces + "\nsimulation: " + simulation + "\n";
}
const std::string verlet = "{integrator: velocity_verlet, time_step: 0.01, duration: 1}";

using Row = std::map<std::string, double>;
std::vector<Row> read_rows(std::istream& lines, char separator, const std::vector<std::string>& names) {
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) {
    for (char& c : line) c = c == separator ? ' ' : c;
    std::istringstream cells(line);
    Row row;
    for (const std::string& name : names)
      if (!(cells >> row[name])) return rows;
    rows.push_back(row);
  }
  return rows;
}

const std::vector<std::string> columns{"step", "time", "elastic", "coulomb", "external", "kinetic", "total"};

/// The table that LAMMPS prints.
std::vector<Row> read_log(const fs::path& file) {
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);)
    if (line.find("v_elastic") != std::string::npos && line.find("Step") != std::string::npos)
      return read_rows(lines, ' ', columns);
  return {};
}

std::vector<Row> read_energies(const fs::path& file) {
  std::istringstream lines(read_text(file));
  std::string header;
  for (int k = 0; k < 2; ++k) std::getline(lines, header);  // units, names
  return read_rows(lines, ',', {"step", "time", "elastic", "coulomb", "interaction", "external", "kinetic", "total"});
}

/// Positions and velocities of the last frame of a dump of `particles` atoms.
State read_last_frame(const fs::path& file, Eigen::Index particles) {
  const std::string text = read_text(file);
  std::istringstream lines(text.substr(text.rfind("ITEM: ATOMS")));
  std::string header;
  std::getline(lines, header);
  REQUIRE(header == "ITEM: ATOMS id type x y z vx vy vz");
  State s{0, Points(3, particles), Points(3, particles)};
  double id = 0, type = 0;
  for (Eigen::Index i = 0; i < particles; ++i) {
    lines >> id >> type >> s.x(0, i) >> s.x(1, i) >> s.x(2, i) >> s.v(0, i) >> s.v(1, i) >> s.v(2, i);
    REQUIRE(id == double(i + 1));
  }
  return s;
}

/// Exports the run to `deck` and lets LAMMPS run it.
void run_lammps(const Workplace& place, const std::string& arguments = "") {
  const Outcome written = place.run("export run --format lammps --out deck " + arguments);
  CAPTURE(written.err);
  REQUIRE(written.status == 0);
  const bool fine = succeeds("cd '" + (place / "deck").string() + "' && lmp -in in.pithball -log log -screen none");
  CAPTURE(read_text(place / "deck/log"));
  REQUIRE(fine);
}

pithball::sim::Trajectory simulate(const Workplace& place, const std::string& experiment) {
  place.write("torus.yaml", experiment);
  const Outcome outcome = place.run("simulate torus.yaml --out run");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return pithball::datasets::read_h5md((place / "run/trajectory.h5").string()).trajectory;
}

void check_energies(const Row& ours, const Row& theirs, double tolerance) {
  for (const std::string name : {"elastic", "coulomb", "external", "kinetic"}) {
    CAPTURE(name, ours.at(name), theirs.at(name));
    CHECK(theirs.at(name) == Approx(ours.at(name)).epsilon(tolerance).margin(tolerance));
  }
}

}  // namespace

TEST_CASE("export: LAMMPS moves a charged, pinned torus in gravity and a field as velocity_verlet does",
          "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  const auto run = simulate(place, torus("[coulomb, {gravity: [1, 0, -9.81]}, {electric_field: {uniform: [3e4, 0, "
                                         "1e5]}}, {point_charge: {charge: 20 uC, position: [0, 0, 3]}}]",
                                         verlet));
  run_lammps(place);
  const auto ours = read_energies(place / "run/energy.csv"), theirs = read_log(place / "deck/log");
  REQUIRE(ours.size() == 101);
  REQUIRE(theirs.size() == 101);
  for (const std::string name : {"coulomb", "external", "kinetic"}) CHECK(std::abs(ours.front().at(name)) > 1e-3);
  CHECK(ours.back().at("elastic") > 1e-3);  // 0 at the start
  // All that differs is the order of sums, and the Coulomb constant, by a rounding error.
  check_energies(ours.front(), theirs.front(), 1e-12);
  check_energies(ours.back(), theirs.back(), 1e-10);
  const State& end = run.states.back();
  const State found = read_last_frame(place / "deck/motion.lammpstrj", end.x.cols());
  CHECK((end.x - run.states.front().x).norm() > 1);  // it moved
  CHECK((found.x - end.x).cwiseAbs().maxCoeff() < 1e-11);
  CHECK((found.v - end.v).cwiseAbs().maxCoeff() < 1e-10);
  CHECK(found.x.col(70) == end.x.col(70));
}

TEST_CASE("export: LAMMPS continues from a state in the middle of a run", "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  const auto run = simulate(place, torus("[coulomb]", verlet) + "output: {every: 20}\n");
  run_lammps(place, "--time 0.4");
  const auto theirs = read_log(place / "deck/log");
  REQUIRE(theirs.size() == 4);
  CHECK(theirs.back().at("step") == 60);
  const State found = read_last_frame(place / "deck/motion.lammpstrj", run.states.back().x.cols());
  CHECK((found.x - run.states.back().x).cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE("export: without Coulomb forces charges feel only what is outside, in LAMMPS too", "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  const std::string forces = GENERATE("[{point_charge: {charge: 20 uC, position: [0, 0, 3]}}]", "[]");
  CAPTURE(forces);
  const auto run = simulate(place, torus(forces, verlet));
  run_lammps(place);
  check_energies(read_energies(place / "run/energy.csv").back(), read_log(place / "deck/log").back(), 1e-10);
  const State found = read_last_frame(place / "deck/motion.lammpstrj", run.states.back().x.cols());
  CHECK((found.x - run.states.back().x).cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE("export: particles without charge may lie on each other in LAMMPS", "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  const auto run = simulate(place, R"(name: torus
system:
  vertices: [[0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0]]
  mass: [1, 2, 1, 1]
  charge: [0, 0, 10 uC, 10 uC]
  springs: {edges: [[0, 2], [1, 3]], stiffness: [3, 4], rest_length: [0, 1.5]}
forces: [coulomb]
simulation: )" + verlet + "\n");
  run_lammps(place);
  const auto ours = read_energies(place / "run/energy.csv"), theirs = read_log(place / "deck/log");
  check_energies(ours.front(), theirs.front(), 1e-12);
  check_energies(ours.back(), theirs.back(), 1e-10);
  const State found = read_last_frame(place / "deck/motion.lammpstrj", 4);
  CHECK((found.x - run.states.back().x).cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE("export: linear drag slows each particle by its own coefficient in LAMMPS", "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  simulate(place, R"(name: torus
system: {vertices: [[0, 0, 0], [1, 0, 0]], mass: [1, 2], velocities: [0, 0, 1], springs: none}
forces: [{drag: {linear: [0.5, 3]}}]
simulation: )" + verlet +
                      "\n");
  run_lammps(place);
  const State found = read_last_frame(place / "deck/motion.lammpstrj", 2);
  // exp(−r t) with r = c/m; LAMMPS does (1 − r h)^n, relatively r² h t/2 less.
  CHECK(found.v(2, 0) == Approx(std::exp(-0.5)).epsilon(1.1 * 0.5 * 0.5 * 0.01 / 2));
  CHECK(found.v(2, 1) == Approx(std::exp(-1.5)).epsilon(1.1 * 1.5 * 1.5 * 0.01 / 2));
}

TEST_CASE("export: a step too long for velocity Verlet is divided for LAMMPS", "[app][export][lammps]") {
  require_lammps();
  const Workplace place;
  simulate(place, torus("[coulomb]", "{integrator: imex_midpoint, time_step: 0.15, duration: 3}"));
  run_lammps(place);
  const auto ours = read_energies(place / "run/energy.csv"), theirs = read_log(place / "deck/log");
  REQUIRE(theirs.size() == ours.size());
  CHECK(theirs.back().at("time") == Approx(3));
  CHECK(theirs.back().at("step") > 20);
  const double start = theirs.front().at("total");
  for (const Row& row : theirs) CHECK(row.at("total") == Approx(start).epsilon(0.01));  // it did not blow up
}

TEST_CASE("export: parts that LAMMPS does not support are rejected unless left out, and the input script says so",
          "[app][export][error]") {
  const Workplace place;
  place.write("motion.csv", "t,x,y,z\n0,0,0,0\n0.5,0,0,1\n1,0,0,3\n");
  place.write("passing.csv", "t,x,y,z\n0,5,5,5\n1,5,5,6\n");
  simulate(place, R"(name: torus
system:
  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
  mass: 0.1
  charge: 1 uC
  driven: [{vertices: [0], relative: true, path: {file: motion.csv}}]
  springs: {edges: [[0, 1], [1, 2]], stiffness: 10, damping: 0.1, cubic_stiffness: 5}
forces:
  - coulomb: {softening: 0.01}
  - drag: {linear: 0.01, quadratic: 0.02, wind: {uniform: [1, 0, 0]}}
  - electric_field: {expression: ["x", "-y", "0"]}
  - point_charge: {charge: 1 uC, position: {file: passing.csv}}
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.1}
)");
  const std::vector<std::string> parts{"cubic_springs", "dampers",        "driven",    "electric_field",
                                       "point_charge",  "quadratic_drag", "softening", "wind"};
  std::string leave_out;
  for (const std::string& part : parts) {
    const Outcome outcome = place.run("export run --format lammps" + leave_out);
    CAPTURE(leave_out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--leave-out " + part) != std::string::npos);
    CHECK_FALSE(fs::exists(place / "run/export/lammps"));
    CHECK_FALSE(fs::exists(place / "run/export/lammps.partial"));
    leave_out += " --leave-out " + part;
  }
  const Outcome unknown = place.run("export run --format lammps" + leave_out + " --leave-out damper");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("'damper'; here it is cubic_springs, dampers, driven") != std::string::npos);
  const Outcome outcome = place.run("export run --format lammps --json" + leave_out);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["notes"].size() == parts.size());
  std::istringstream deck(read_text(place / "run/export/lammps/in.pithball"));
  std::size_t said = 0;
  for (std::string line; std::getline(deck, line);) said += line.starts_with("# LEFT OUT");
  CHECK(said == parts.size());
}

TEST_CASE("export: a deck for a model that LAMMPS covers leaves nothing out", "[app][export]") {
  const Workplace place;
  simulate(place, replaced(torus("[coulomb]", "{integrator: imex_midpoint, time_step: 0.01, duration: 0.02}"),
                           "stiffness: 10", "stiffness: 10, damping: 0"));
  const Outcome outcome = place.run("export run --format lammps");
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(read_text(place / "run/export/lammps/in.pithball").find("LEFT OUT") == std::string::npos);
}
