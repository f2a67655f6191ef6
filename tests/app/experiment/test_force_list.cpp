// Notes on forces that are listed more than once.

#include <algorithm>

#include "app/experiment/dynamics_spec.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "sim/force/force_registry.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

std::vector<std::string> notes_with(const std::string& forces) {
  std::string text = replaced(small_experiment, "  - gravity: [0, 0, -9.81]\n  - coulomb\n", forces);
  return app::read_experiment(app::parse_document(text, {"small.yaml"})).notes;
}

using Notes = std::vector<std::string>;

}  // namespace

TEST_CASE("force list: a force listed twice and coulomb beside screened_coulomb get a note", "[app][spec]") {
  CHECK(notes_with("  - gravity: [0, 0, -9.81]\n  - coulomb\n").empty());
  CHECK(notes_with("  - gravity: [0, 0, -9.81]\n  - coulomb\n  - gravity: [0, 0, -9.81]\n") ==
        Notes{"gravity is listed twice: both act"});
  CHECK(notes_with("  - gravity: [0, 0, -9.81]\n  - gravity: [0, 0, -9.8]\n") ==  // with other settings too
        Notes{"gravity is listed twice: both act"});
  CHECK(notes_with("  - coulomb\n  - coulomb: {softening: 1 mm}\n  - coulomb: {}\n") ==
        Notes{"coulomb is listed 3 times: all act"});
  CHECK(notes_with("  - screened_coulomb: {relative_permittivity: 2}\n  - coulomb\n") ==
        Notes{"screened_coulomb is listed beside coulomb, which is the same force with other settings: both act"});
  CHECK(notes_with("  - coulomb\n  - coulomb\n  - screened_coulomb: {relative_permittivity: 1}\n"
                   "  - gravity: [0, 0, -9.81]\n  - gravity: [0, 0, -9.81]\n") ==
        Notes{"coulomb is listed twice: both act", "gravity is listed twice: both act",
              "screened_coulomb is listed beside coulomb, which is the same force with other settings: both act"});
}

TEST_CASE("force list: forces of different places, laws or particles get none", "[app][spec]") {
  CHECK(notes_with("  - point_charge: {charge: 1 uC, position: [3, 0, 0]}\n"
                   "  - point_charge: {charge: 1 uC, position: [0, 3, 0]}\n"
                   "  - plane_penalty: {point: [0, 0, -1], normal: [0, 0, 1], stiffness: 1000}\n"
                   "  - plane_penalty: {point: [-1, 0, 0], normal: [1, 0, 0], stiffness: 1000}\n"
                   "  - electric_field: [0, 0, 1 kV/m]\n  - electric_field: {expression: [\"1\", \"0\", \"t\"]}\n"
                   "  - drag: {linear: 1 g/s}\n  - drag: {quadratic: 1 g/m}\n")
            .empty());
  CHECK(notes_with("  - gravity: [0, 0, -9.81]\n    select: [0, 1]\n  - gravity: [0, 0, -3.7]\n    select: [tip]\n")
            .empty());
  CHECK(
      notes_with("  - gravity: [0, 0, -9.81]\n    select: [0, 1]\n  - gravity: [0, 0, -3.7]\n    select: [1, tip]\n") ==
      Notes{"gravity is listed twice: both act"});
  // The same in every word is one too many wherever it acts.
  CHECK(notes_with("  - point_charge: {charge: 1 uC, position: [3, 0, 0]}\n"
                   "  - point_charge: {charge: 1 uC, position: [3, 0, 0]}\n") ==
        Notes{"point_charge is listed twice: both act"});
  CHECK(notes_with("  - drag: {linear: 1 g/s}\n  - drag: {linear: 2 g/s, quadratic: 1 g/m}\n") ==
        Notes{"drag is listed twice: both act"});
}

TEST_CASE("force list: a force that takes the place of another names one of the registry", "[app][spec]") {
  std::size_t replacing = 0;
  for (const sim::ForceInfo& force : sim::forces()) {
    if (force.replaces.empty()) continue;
    ++replacing;
    CHECK(std::ranges::count(sim::forces(), force.replaces, &sim::ForceInfo::name) == 1);
  }
  CHECK(replacing > 0);
}

TEST_CASE("force list: the notes are in the results of simulate and fit", "[app][spec][fit]") {
  Workplace place;
  const std::string twice = replaced(small_experiment, "  - coulomb\n", "  - coulomb\n  - gravity: [0, 0, -9.81]\n");
  place.write("twice.yaml", twice);
  const Outcome simulated = place.run("simulate twice.yaml");
  CHECK(simulated.status == 0);
  CHECK(says(simulated.out, "note: gravity is listed twice: both act"));
  CHECK(says(read_text(place / "runs/small/summary.json"), "gravity is listed twice: both act"));

  std::string table = "t,x,y,z\n";
  for (int f = 0; f < 20; ++f) table += std::to_string(f / 100.0) + ",0," + std::to_string(1 - 0.01 * f) + ",0\n";
  place.write("track.csv", table);
  place.write("fitted.yaml",
              twice + "fit:\n  recordings: [{file: track.csv, markers: [2]}]\n  parameters: [stiffness]\n");
  const Outcome fitted = place.run("fit fitted.yaml");
  CHECK(says(fitted.err, "gravity is listed twice: both act"));
  CHECK(says(notes_of(nlohmann::json::parse(read_text(place / "runs/small/fit.json"))), "gravity is listed twice"));
}
