// `pithball scan`: the comparison of `compare:` over a grid of values.

#include <cmath>

#include "app/report/sections.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using namespace pithball::test;
using namespace pithball::app;

namespace {

/// A charged triangle that swings, two integrators at two steps, over the values of `scan`.
std::string scanned(const std::string& scan) {
  return replaced(
             small_experiment, "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}",
             "simulation: {time_step: 0.02, duration: 0.2}\n"
             "compare: {integrators: [imex_euler, imex_midpoint], time_steps: [0.02, 0.01], reference: {time_step: "
             "0.001}}\n") +
         scan + "\n";
}

const std::string over_two = "scan: {over: {system.springs.stiffness: [10, 20], system.charge: [1 uC, 2 uC, 3 uC]}}";
const std::string over_one = "scan: {over: {system.charge: [1 uC, 2 uC]}}";

std::vector<std::string> titles(const Sections& sections) {
  std::vector<std::string> all;
  for (const Section& section : sections) all.push_back(section.document.at("title"));
  return all;
}

}  // namespace

TEST_CASE("scan: each point is the comparison that compare makes there", "[app][scan]") {
  const Workplace place;
  place.write("grid.yaml", scanned(over_two));
  const Outcome outcome = place.run("scan grid.yaml --threads 1 --json --quiet --out grid");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json scan = outcome.json()["scan"];
  REQUIRE(scan["rows"].size() == 2 * 3 * 2 * 2);
  REQUIRE(scan["references"].size() == 2 * 3);
  CHECK(scan["rows"][0]["system.charge"] == "1 uC");  // the last key fastest
  CHECK(scan["rows"][4]["system.charge"] == "2 uC");
  CHECK(scan["rows"][4]["system.springs.stiffness"] == "10");
  const Outcome alone = place.run(
      "compare grid.yaml --threads 1 --json --quiet --set system.springs.stiffness=20 --set 'system.charge=2 uC' --out "
      "alone");
  REQUIRE(alone.status == 0);
  const json rows = alone.json()["comparison"]["rows"];
  int compared = 0;
  for (const json& row : scan["rows"]) {
    if (row["system.springs.stiffness"] != "20" || row["system.charge"] != "2 uC") continue;
    const json& same = rows.at(static_cast<std::size_t>(compared++));
    INFO(row.dump(2));
    CHECK(row["method"] == same["method"]);
    CHECK(row["time_step"] == same["time_step"]);
    // The same program, the same input, the same sums.
    CHECK(row["energy_error"] == same["energy_error"]);
    CHECK(row["position_error"] == same["position_error"]);
    CHECK(row["energy_error"]["mean"].get<double>() > 1e-9);
  }
  CHECK(compared == 4);
  CHECK(scan["rows"][0]["energy_error"] != scan["rows"][4]["energy_error"]);  // the values are put in
  CHECK(json::parse(read_text(place / "grid/scan.json")) == scan);
  CHECK(json::parse(read_text(place / "grid/summary.json"))["points"] == 6);
}

TEST_CASE("scan: a report maps two keys, and draws the error against the step over one", "[app][scan]") {
  const Workplace place;
  place.write("grid.yaml", scanned(over_two));
  place.write("line.yaml", scanned(over_one));
  REQUIRE(place.run("scan grid.yaml --threads 1 --quiet --out grid").status == 0);
  REQUIRE(place.run("scan line.yaml --threads 1 --quiet --out line").status == 0);
  const Sections grid = make_sections(read_run(place / "grid"), {}), line = make_sections(read_run(place / "line"), {});
  CHECK(titles(grid) ==
        std::vector<std::string>{"Summary", "Energy error: imex_euler at 0.02 s", "Energy error: imex_euler at 0.01 s",
                                 "Energy error: imex_midpoint at 0.02 s", "Energy error: imex_midpoint at 0.01 s",
                                 "Position error: imex_euler at 0.02 s", "Position error: imex_euler at 0.01 s",
                                 "Position error: imex_midpoint at 0.02 s", "Position error: imex_midpoint at 0.01 s",
                                 "Scan", "Experiment"});
  CHECK(titles(line) == std::vector<std::string>{
                            "Summary", "Energy error", "Position error", "Energy error against time step: imex_euler",
                            "Energy error against time step: imex_midpoint", "Scan", "Experiment"});
  const auto map = grid[1].document;
  const json scan = json::parse(read_text(place / "grid/scan.json"));
  CHECK(map["rows"]["names"] == json({"10", "20"}));
  CHECK(map["columns"]["names"] == json({"1 uC", "2 uC", "3 uC"}));
  REQUIRE(map["values"].size() == 2);
  REQUIRE(map["values"][1].size() == 3);
  const json& corner = scan["rows"][20];  // the last point's first method at the first step
  REQUIRE(corner["system.charge"] == "3 uC");
  REQUIRE(corner["system.springs.stiffness"] == "20");
  REQUIRE(corner["method"] == "imex_euler");
  CHECK(map["values"][1][2].get<double>() ==
        Approx(std::log10(corner["energy_error"]["mean"].get<double>())).epsilon(1e-12));
  const auto plot = line[3].document;
  CHECK(plot["x"]["values"] == json({0.01, 0.02}));
  REQUIRE(plot["series"].size() == 4);  // two charges, mean and mean + standard deviation
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(plot["series"][1]["values"][k].get<double>() > plot["series"][0]["values"][k].get<double>());
}

TEST_CASE("scan: a diverged run is an empty cell, a failed reference a failure", "[app][scan]") {
  const Workplace place;
  place.write("line.yaml", scanned(over_one));
  const Outcome diverged = place.run(
      "scan line.yaml --threads 1 --json --quiet --out diverged --set 'compare.integrators=[explicit_euler]' --set "
      "system.springs.damping=0 --set system.springs.stiffness=1e7 --set "
      "'compare.reference={integrator: imex_midpoint, time_step: 0.001}' --set 'compare.time_steps=[0.02]'");
  INFO(diverged.err);
  REQUIRE(diverged.status == 0);
  for (const json& row : diverged.json()["scan"]["rows"]) {
    CHECK(row["status"] == "diverged");
    CHECK(row["energy_error"]["mean"].is_null());
  }
  const Sections sections = make_sections(read_run(place / "diverged"), {});
  CHECK(sections[1].document["values"][0][0].is_null());
  const Outcome failed = place.run(
      "scan line.yaml --threads 1 --quiet --json --out failed --set system.springs.damping=0 --set "
      "system.springs.stiffness=1e7");
  CHECK(failed.status == 1);
  CHECK(failed.json()["status"] == "reference failed");
  CHECK(failed.json()["explanation"].get<std::string>().find("at system.charge = 1 uC: the reference") == 0);
}

TEST_CASE("scan: mistakes are rejected before anything is written", "[app][scan]") {
  const Workplace place;
  const auto rejected = [&](const std::string& scan, const std::string& message) {
    place.write("line.yaml", scanned(scan));
    const Outcome outcome = place.run("scan line.yaml");
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("line.yaml:") != std::string::npos);
    CHECK(outcome.err.find(message) != std::string::npos);
    CHECK(place.listing() == "line.yaml ");
  };
  rejected("", "scan");
  rejected("scan: {over: {}}", "must contain one or two keys");
  rejected("scan: {over: {system.mass: [1], system.charge: [1e-6], name: [a, b]}}",
           "must contain one or two keys, got 3");
  rejected("scan: {over: {system.charge: 3 uC}}", "must be a list of values");
  rejected("scan: {over: {system.charge: []}}", "must contain at least one value");
  rejected("scan: {over: {system.charge: [1 uC, 1 uC]}}", "1 uC twice");
  rejected("scan: {over: {system.mass: [1, -1]}}", "must be");
  rejected("scan: {over: {system.chargee: [1 uC]}}",
           "scan.over: system.chargee: is not a known key here; did you mean 'charge'?");
  rejected("scan: {over: {system.mass: [1, -1]}}", "scan.over: system.mass: must be > 0 kg");
  rejected("scan: {over: {forces.7.gravity: [1]}}", "scan.over: forces.7: must be an item of the list");
  rejected("scan: {over: {scan.over: [1]}}", "must be a key of the experiment outside");
  rejected("scan: {ower: {system.charge: [1 uC]}}", "over");
}

TEST_CASE("scan: other commands leave the section alone", "[app][scan]") {
  const Workplace place;
  place.write("line.yaml", scanned(over_one));
  CHECK(place.run("simulate line.yaml --quiet --out a").status == 0);
  CHECK(place.run("compare line.yaml --quiet --out b").status == 0);
}

TEST_CASE("scan: more than a billion steps at a point are announced before the first run", "[app][scan]") {
  const Workplace place;
  const std::string long_run = "simulation: {time_step: 1e-10, duration: 2}\ncompare: {time_steps: [1e-10]}\n";
  place.write(
      "long.yaml",
      replaced(small_experiment, "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}", long_run) +
          over_one + "\n");
  const Outcome outcome = place.run("scan long.yaml", "timeout -s KILL 2");
  CHECK(outcome.err.starts_with("long.yaml: note: simulation: 2e+10 time steps of 1e-10 s"));
}
