#include <cmath>
#include <set>
#include <string>

#include "tests/app/outside_program.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;

namespace {
const std::string cluster =
    std::string("'") + pithball::tests::source_folder + "/experiments/configs/lennard-jones-cluster.yaml' ";

/// A short run of the benchmark's melt; `before` stands in front of the program's name.
nlohmann::json melt(const std::string& before) {
  const Outcome outcome = Workplace().run("bench lennard_jones --cells 5 --steps 20 --repeats 1 --json", before);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.json();
}
}  // namespace

TEST_CASE("lennard_jones: gradients of a cluster's motion pass their check", "[app][gradient]") {
  const Workplace place;
  const Outcome outcome = place.run("check-gradient " + cluster + "--steps 60 --json");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  std::set<std::string> seen;
  for (const auto& block : result["blocks"]) {
    const auto name = block["name"].get<std::string>();
    if (name == "charge") continue;  // there is nothing that it acts on
    CAPTURE(block.dump());
    seen.insert(name);
    CHECK(block["largest"].get<double>() > 0);
    CHECK(block["adjoint_vs_tangent"].get<double>() < 1e-10);
    CHECK(block["adjoint_vs_difference"].get<double>() < 1e-6);
  }
  CHECK(seen == std::set<std::string>{"lennard_jones_epsilon", "lennard_jones_sigma", "position", "velocity", "mass"});
}

TEST_CASE("lennard_jones: neighbor settings change nothing but time, and mistakes are reported with their place",
          "[app][simulate][error]") {
  const Workplace place;
  const std::string run = "simulate " + cluster + "--set simulation.duration=0.5 --json --out ";
  const auto energy = [&](const std::string& name, const std::string& more) {
    const Outcome outcome = place.run(run + name + more);
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return read_text(place / (name + "/energy.csv"));
  };
  const std::string usual = energy("usual", "");
  CHECK(energy("tree", " --set forces.lennard_jones.neighbors=tree --set forces.lennard_jones.skin=0") == usual);
  CHECK(energy("grid", " --set forces.lennard_jones.neighbors=hashed_grid") == usual);
  for (const std::string wrong : {"neighbors=magic", "cutoff=-1", "skin=-1", "distance=0", "energy=-2", "depth=1"}) {
    CAPTURE(wrong);
    const Outcome outcome = place.run(run + "wrong --set forces.lennard_jones." + wrong);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(wrong.substr(0, wrong.find('='))) != std::string::npos);
  }
  const Outcome other = place.run(run + "other --set simulation.backend=lammps");
  CHECK(other.status == 2);
  CHECK(other.err.find("lennard_jones") != std::string::npos);
}

TEST_CASE("bench lennard_jones: our melt keeps its energy", "[app][bench]") {
  const auto result = melt("PITHBALL_LAMMPS=/nowhere");
  CHECK(result["particles"] == 500);
  CHECK(std::abs(result["total_energy_change"].get<double>()) < 1e-3);
  const auto& rows = result["rows"];
  REQUIRE(!rows.empty());
  CHECK(rows[0]["program"] == "pithball");
  CHECK(rows[0]["seconds_per_step"].get<double>() > 0);
  CHECK(rows[0]["lists"].get<double>() >= 1);
  CHECK(rows.size() == 1);
}

TEST_CASE("bench lennard_jones: our melt is LAMMPS's", "[app][bench][lammps]") {
  require_lammps();
  const auto rows = melt("")["rows"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[1]["program"] == "lmp");
  CHECK(rows[1]["energy_difference"].get<double>() < 1e-10);  // the same motion, less what 20 steps make of rounding
  CHECK(rows[2]["program"] == "lmp_every_20");
}

TEST_CASE("bench lennard_jones: without LAMMPS its rows are left out by name, and wrong options are rejected",
          "[app][bench][error]") {
  const Workplace place;
  const Outcome outcome = place.run("bench lennard_jones --cells 3 --steps 2 --repeats 1", "PITHBALL_LAMMPS=/nowhere");
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("lmp skipped: PITHBALL_LAMMPS") != std::string::npos);
  CHECK(outcome.out.find("lmp_every_20") == std::string::npos);
  for (const char* arguments : {"--cells 1", "--steps 0", "--repeats 0", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench lennard_jones ") + arguments).status == 2);
  }
}
