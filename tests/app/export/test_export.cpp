#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <sstream>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/outside_program.hpp"

using namespace pithball::test;
using pithball::datasets::H5mdTrajectory;
using pithball::datasets::read_h5md;

namespace {

/// A small bent net with faces, charges that differ, a pinned edge, and a last state out of step.
const char* const net = R"(name: small net
system:
  mesh: {grid: {size: [2, 1], segments: [2, 1], bend: false}}
  mass: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
  charge: [1 uC, -1 uC, 2 uC, 0, 3 uC, 1 uC]
  pinned: [0, 3]
  springs: {stiffness: 10, damping: 0.1}
forces: [{gravity: [0, 0, -9.81]}, coulomb]
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.25}
output: {every: 4}
)";

H5mdTrajectory run_net(const Workplace& place) {
  place.write("net.yaml", net);
  const Outcome outcome = place.run("simulate net.yaml --out run");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_h5md((place / "run/trajectory.h5").string());
}

Outcome export_run(const Workplace& place, const std::string& arguments) {
  Outcome outcome = place.run("export run --format " + arguments);
  CAPTURE(arguments, outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome;
}

using Table = std::vector<std::vector<double>>;

/// The rows below the header, which must be the given one.
Table read_table(const fs::path& file, const std::string& header) {
  std::istringstream lines(read_text(file));
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(line == header);
  Table rows;
  while (std::getline(lines, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::strtod(cell.c_str(), nullptr));
  }
  return rows;
}

std::vector<double> row_of(const pithball::sim::State& s, Eigen::Index i) {
  return {s.t, static_cast<double>(i), s.x(0, i), s.x(1, i), s.x(2, i), s.v(0, i), s.v(1, i), s.v(2, i)};
}

}  // namespace

TEST_CASE("export: tables hold every snapshot to the last bit", "[app][export]") {
  const Workplace place;
  const H5mdTrajectory run = run_net(place);
  const auto json = export_run(place, "csv --json").json();
  CHECK(json["states"] == run.trajectory.states.size());
  CHECK(json["files"] == 3);
  const fs::path folder = place / "run/export/csv";
  const Table positions = read_table(folder / "positions.csv", "time,particle,x,y,z,vx,vy,vz");
  REQUIRE(positions.size() == 6 * run.trajectory.states.size());
  std::size_t wrong = 0, at = 0;
  for (const auto& s : run.trajectory.states)
    for (Eigen::Index i = 0; i < 6; ++i) wrong += positions[at++] != row_of(s, i);
  CHECK(wrong == 0);

  const Table particles = read_table(folder / "particles.csv", "particle,mass,charge,pinned,driven");
  REQUIRE(particles.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    CHECK(particles[i] ==
          std::vector<double>{double(i), run.body.mass[k], run.body.charge[k], i == 0 || i == 3 ? 1.0 : 0.0, 0.0});
  }
  const Table springs = read_table(folder / "springs.csv", "spring,i,j,stiffness,rest_length");
  REQUIRE(springs.size() == run.body.springs.size());
  const auto& first = run.trajectory.states.front().x;
  for (std::size_t e = 0; e < springs.size(); ++e) {
    const auto [i, j] = run.body.springs[e];
    CHECK(springs[e][1] == double(i));
    CHECK(springs[e][2] == double(j));
    CHECK(springs[e][3] == 10);
    CHECK(springs[e][4] == Approx((first.col(i) - first.col(j)).norm()).epsilon(1e-14));  // at rest at the start
  }
}

TEST_CASE("export: files for players hold every snapshot to the last bit", "[app][export]") {
  const Workplace place;
  const H5mdTrajectory run = run_net(place);
  const auto& states = run.trajectory.states;
  export_run(place, "extxyz");
  std::istringstream xyz(read_text(place / "run/export/extxyz/small_net.extxyz"));
  export_run(place, "lammpstrj");
  std::istringstream dump(read_text(place / "run/export/lammpstrj/small_net.lammpstrj"));
  std::string line, symbol;
  const auto skip_to = [&](std::istream& in, const std::string& wanted) {
    while (line.rfind(wanted, 0) != 0) REQUIRE(std::getline(in, line));
  };
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto& s = states[k];
    Eigen::Index count = 0, id = 0, type = 0;
    REQUIRE(xyz >> count);
    CHECK(count == 6);
    std::getline(xyz, line);
    REQUIRE(std::getline(xyz, line));
    CHECK(std::strtod(line.c_str() + line.find("Time=") + 5, nullptr) == s.t);
    skip_to(dump, "ITEM: ATOMS");
    for (Eigen::Index i = 0; i < 6; ++i) {
      std::array<double, 8> one{}, other{};  // x, v, mass, charge
      xyz >> symbol;
      for (double& number : one) xyz >> number;
      xyz >> id;
      wrong += id != i;
      dump >> id >> type;
      wrong += id != i + 1;
      for (double& number : other) dump >> number;
      wrong += one != other;
      for (int a = 0; a < 3; ++a) wrong += one[a] != s.x(a, i) || one[3 + a] != s.v(a, i);
      wrong += one[6] != run.body.mass[i] || one[7] != run.body.charge[i];
    }
  }
  CHECK(wrong == 0);
  xyz >> symbol;
  CHECK(xyz.eof());

  export_run(place, "h5md");
  const H5mdTrajectory scaled = read_h5md((place / "run/export/h5md/small_net.h5md").string());
  CHECK(scaled.length_unit == "nm");
  CHECK(scaled.time_unit == "ps");
  CHECK(scaled.trajectory.step == run.trajectory.step);
  REQUIRE(scaled.trajectory.states.size() == states.size());
  for (std::size_t k = 0; k < states.size(); ++k) {  // one rounding of each product
    CHECK(scaled.trajectory.states[k].t == Approx(1e12 * states[k].t).epsilon(1e-15));
    CHECK((scaled.trajectory.states[k].x - 1e9 * states[k].x).norm() <= 1e-15 * 1e9 * states[k].x.norm());
    CHECK((scaled.trajectory.states[k].v - 1e-3 * states[k].v).norm() <= 1e-15 * 1e-3 * states[k].v.norm());
  }
}

TEST_CASE("export: --every and --time choose among the snapshots", "[app][export]") {
  const Workplace place;
  const H5mdTrajectory run = run_net(place);
  REQUIRE(run.trajectory.step == std::vector<Eigen::Index>{0, 4, 8, 12, 16, 20, 24, 25});
  const auto third = export_run(place, "csv --every 3 --out thin --json").json();
  CHECK(third["states"] == 3);
  const Table rows = read_table(place / "thin/positions.csv", "time,particle,x,y,z,vx,vy,vz");
  REQUIRE(rows.size() == 18);
  CHECK(rows[6] == row_of(run.trajectory.states[3], 0));
  export_run(place, "csv --time 0.17 --out one");
  const Table one = read_table(place / "one/positions.csv", "time,particle,x,y,z,vx,vy,vz");
  REQUIRE(one.size() == 6);
  CHECK(one[5] == row_of(run.trajectory.states[4], 5));
}

TEST_CASE("export: OBJ frames read back as the mesh at each state", "[app][export]") {
  const Workplace place;
  const H5mdTrajectory run = run_net(place);
  export_run(place, "obj");
  const fs::path folder = place / "run/export/obj";
  const auto mesh = place.run("mesh '" + (folder / "small_net_00002.obj").string() + "' --json").json();
  CHECK(mesh["vertices"] == 6);
  CHECK(mesh["faces"] == 2);
  const auto& x = run.trajectory.states[2].x;
  CHECK(mesh["box"][0][2] == x.row(2).minCoeff());
  CHECK(mesh["box"][1][0] == x.row(0).maxCoeff());
  CHECK(fs::exists(folder / "small_net_00007.obj"));
  CHECK_FALSE(fs::exists(folder / "small_net_00008.obj"));
}

TEST_CASE("export: a body without faces becomes OBJ lines, one for each spring", "[app][export]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --out run").status == 0);
  export_run(place, "obj --time 0");
  const std::string text = read_text(place / "run/export/obj/small_00000.obj");
  CHECK(text == "v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2\nl 2 3\n");
}

TEST_CASE("export: PC2 holds the evenly spaced states as little-endian floats", "[app][export]") {
  const Workplace place;
  const H5mdTrajectory run = run_net(place);
  const auto json = export_run(place, "pc2 --json").json();
  const std::string bytes = read_text(place / "run/export/pc2/cache.pc2");
  const auto at = [&](std::size_t k) {  // the bits of the k-th number of four bytes
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 4; ++b) bits |= std::uint32_t(static_cast<unsigned char>(bytes[4 * k + b])) << 8 * b;
    return bits;
  };
  const auto number = [&](std::size_t k) {
    const std::uint32_t bits = at(k);
    float value = 0;
    std::memcpy(&value, &bits, 4);
    return value;
  };
  REQUIRE(bytes.size() == 32 + 7 * 6 * 12);  // the eighth state, step 25, follows after one step, not four
  CHECK(bytes.substr(0, 12) == std::string("POINTCACHE2\0", 12));
  CHECK(at(3) == 1);
  CHECK(at(4) == 6);
  CHECK(number(5) == 0);
  CHECK(number(6) == 1);
  CHECK(at(7) == 7);
  std::size_t k = 8, wrong = 0;
  for (std::size_t s = 0; s < 7; ++s)
    for (const double x : run.trajectory.states[s].x.reshaped()) wrong += number(k++) != static_cast<float>(x);
  CHECK(wrong == 0);
  CHECK(json["notes"][0].get<std::string>().find("25 frames per second") != std::string::npos);
  CHECK(json["notes"][1].get<std::string>().find("last 1 of 8 snapshots are omitted") != std::string::npos);
  CHECK(place.run("mesh run/export/pc2/small_net.obj --json").json()["vertices"] == 6);
}

TEST_CASE("export: an existing folder, a wrong name or a wrong run is rejected and nothing is written",
          "[app][export][error]") {
  const Workplace place;
  run_net(place);
  fs::create_directories(place / "taken");
  place.write("file", "");
  place.write("fit.yaml", "");
  struct Mistake {
    std::string arguments, message;
  };
  const Mistake mistakes[] = {
      {"run --format csv --out taken", "taken: must not exist yet"},
      {"run --format csv --out file/deeper", "must be in a folder"},
      {"run --format cvs", "--format: must be one of csv, npz"},
      {"run --format csv --recording tracks", "--recording: requires the run folder of a fit"},
      {"run --format csv --leave-out dampers", "--leave-out: needs --format lammps"},
      {"run --format csv --every 0", "--every"},
      {"run --format csv --time 1 --every 2", "--time"},
      {"nowhere --format csv", "nowhere: must be a run folder"},
      {"taken --format csv", "run.yaml"},
  };
  for (const Mistake& mistake : mistakes) {
    const Outcome outcome = place.run("export " + mistake.arguments);
    CAPTURE(mistake.arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(mistake.message) != std::string::npos);
  }
  CHECK(place.listing() == "file fit.yaml net.yaml run taken ");
  CHECK(fs::is_empty(place / "taken"));
  CHECK_FALSE(fs::exists(place / "run/export"));
}

TEST_CASE("export: an interrupted run gives the states that it kept, and says so", "[app][export]") {
  const Workplace place;
  place.write("net.yaml", replaced(net, "duration: 0.25", "duration: 1e5"));
  place.write("signal.sh", signal_when_running);
  REQUIRE(place.run("simulate net.yaml --out parts", "sh signal.sh TERM").status == 1);
  const auto kept = read_h5md((place / "parts/trajectory.h5").string()).trajectory;
  REQUIRE_FALSE(kept.complete);
  const Outcome outcome = place.run("export parts --format npz --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["complete"] == false);
  CHECK(outcome.json()["states"] == kept.states.size());
  CHECK(outcome.json()["notes"].back().get<std::string>().find("incomplete") != std::string::npos);
}

TEST_CASE("export: a killed run that waits beside the new folder stays", "[app][export]") {
  const Workplace place;
  run_net(place);
  fs::copy(place / "run", place / "other.partial");
  place.write("other.export-partial/old", "not ours");
  REQUIRE(place.run("export run --format csv --out other").status == 0);
  CHECK(fs::exists(place / "other.partial/trajectory.h5"));
  CHECK(read_text(place / "other.export-partial/old") == "not ours");
  CHECK(place.listing() == "net.yaml other other.export-partial other.partial run ");
}

TEST_CASE("export: formats that hold finite numbers only end where a run that diverged leaves them, and say so",
          "[app][export]") {
  const Workplace place;
  place.write("net.yaml", net);
  REQUIRE(place
              .run("simulate net.yaml --out run --set simulation.integrator=velocity_verlet --set output.every=1 "
                   "--set system.springs.stiffness=1e200")
              .status == 1);
  const auto states = read_h5md((place / "run/trajectory.h5").string()).trajectory.states;
  std::size_t finite = 0;
  while (finite < states.size() && (states[finite].x.array().abs() < 3e38).all() &&
         (states[finite].v.array().abs() < 3e38).all())
    ++finite;
  REQUIRE(finite > 0);
  REQUIRE(finite < states.size());
  CHECK(export_run(place, "csv --json").json()["states"] == states.size());
  for (const std::string format : {"obj", "pc2"}) {
    const auto json = export_run(place, format + " --json").json();
    CHECK(json["states"] == finite);
    CHECK(json["times"][1] == states[finite - 1].t);
    CHECK(json["notes"].dump().find("snapshots are omitted: the one at t = ") != std::string::npos);
    const std::string last = " --out last --time " + std::to_string(states.back().t);
    const Outcome rejected = place.run("export run --format " + format + last);
    CHECK(rejected.status == 2);
    CHECK(rejected.err.find("requires a snapshot with finite numbers") != std::string::npos);
    CHECK_FALSE(fs::exists(place / "last"));
  }
  for (const auto& file : fs::directory_iterator(place / "run/export/obj")) {
    const std::string text = read_text(file.path());
    CHECK(text.find("nan") == std::string::npos);
    CHECK(text.find("inf") == std::string::npos);
  }
}

TEST_CASE("export: the motion of a fit comes with the fitted values", "[app][export]") {
  const Workplace place;
  std::string tracks = "t,x0,y0,z0\n";
  for (int k = 0; k <= 20; ++k)
    tracks += std::to_string(0.01 * k) + ",0,0," + std::to_string(-0.5 * 9.81 * 1e-4 * k * k) + "\n";
  place.write("up.csv", tracks);
  place.write("down.csv", tracks);
  place.write("fit.yaml", R"(name: falling
system: {vertices: [[0, 0, 0]], mass: 1, springs: none}
forces: [{gravity: [0, 0, -9]}]
simulation: {integrator: velocity_verlet, time_step: 0.01}
fit:
  recordings: [{name: up, file: up.csv, markers: [0]}, {name: down, file: down.csv, markers: [0]}]
  parameters: [{gravity: {components: z}}]
)");
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  CAPTURE(fit.err);
  REQUIRE(fit.status == 0);
  const double fitted = fit.json()["parameters"][0]["estimate"];
  CHECK(fitted != -9);

  const Outcome unclear = place.run("export run --format csv");
  CHECK(unclear.status == 2);
  CHECK(unclear.err.find("choose one of up, down") != std::string::npos);
  CHECK(export_run(place, "csv --recording down --json").json()["name"] == "falling-down");
  const Table rows = read_table(place / "run/export/csv-down/positions.csv", "time,particle,x,y,z,vx,vy,vz");
  REQUIRE(rows.size() == 21);
  CHECK(rows.back()[4] == Approx(0.5 * fitted * 0.04).epsilon(1e-12));

  // LAMMPS needs the force itself, which no trajectory file holds.
  export_run(place, "lammps --recording down");
  const std::string deck = read_text(place / "run/export/lammps-down/in.pithball");
  const std::size_t gravity = deck.find("body gravity ");
  REQUIRE(gravity != std::string::npos);
  CHECK(std::strtod(deck.c_str() + gravity + 13, nullptr) == Approx(-fitted).epsilon(1e-14));
}

TEST_CASE("list: formats name every export format", "[app][export]") {
  const Workplace place;
  const Outcome outcome = place.run("list formats");
  for (const std::string name : {"csv", "npz", "vtk", "obj", "pc2", "lammps"})
    CHECK(outcome.out.find("export --format " + name) != std::string::npos);
}

TEST_CASE("export: what a killed program left is removed by the next of the name, and nothing else", "[app][export]") {
  const Workplace place;
  run_net(place);
  for (const char* name : {".vtk.Ab3dEf", ".vtk.inUse1", ".vtk.yours", ".csv.Ab3dEf"})
    place.write(std::string("run/export/") + name + "/half", "x");
  const int in_use = open((place / "run/export/.vtk.inUse1").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(flock(in_use, LOCK_EX) == 0);  // as a program that exports now
  export_run(place, "vtk");
  close(in_use);
  CHECK(!fs::exists(place / "run/export/.vtk.Ab3dEf"));
  for (const char* name : {".vtk.inUse1", ".vtk.yours", ".csv.Ab3dEf"})
    CHECK(fs::exists(place / (std::string("run/export/") + name + "/half")));
}
