// Displacements from rest on both sides: where the body hangs in the room, and how its mount was drawn, do not matter.

#include "app/spec/rest_reference.hpp"

#include <fmt/format.h>

#include "datasets/text/csv_table.hpp"
#include "tests/app/spec/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;
using nlohmann::json;

namespace {

/// A rod of six rings that hangs from the first.
std::string hanging_rod(double stiffness, const std::string& velocities, const std::string& simulation) {
  return fmt::format(
      "name: rod\nsystem:\n  mesh: {{beam: {{radius: 3 cm, sides: 3, length: 0.3, segments: 5}}}}\n  mass: 0.02\n"
      "  pinned: [top]\n  springs: {{axial_stiffness: {}, axial_damping: 2}}\n{}forces:\n  - gravity: [0, 0, "
      "-9.81]\nsimulation: {{{}}}\n",
      stiffness, velocities, simulation);
}

/// What markers 9 and 17 (of rings 3 and 5) do after a push, seen from a frame of reference that is elsewhere.
void record_rod(const Workplace& place) {
  place.write("truth.yaml", hanging_rod(120, "  velocities: {bottom: [0.3, 0.1, 0]}\n",
                                        "integrator: imex_midpoint, time_step: 1 ms, duration: 4 s"));
  const Outcome filmed =
      place.run("record truth.yaml --markers 9,17 --rate 100 --noise '0.02 mm' --seed 3 --out f.csv");
  INFO(filmed.err);
  REQUIRE(filmed.status == 0);
  const datasets::CsvTable table((place / "f.csv").string(), 1, 0);
  std::string moved = "t,xa,ya,za,xb,yb,zb\n";
  for (Index row = 0; row < table.rows(); ++row) {
    moved += fmt::format("{}", table.number(row, 0));
    for (Index c = 1; c < 7; ++c) moved += fmt::format(",{}", table.number(row, c) + 0.1 * static_cast<double>(c));
    moved += "\n";
  }
  place.write("f.csv", moved);
}

std::string fit_rod(const std::string& recording) {
  return hanging_rod(100, "", "integrator: imex_midpoint, time_step: 5 ms") +
         "fit:\n  recordings: [{file: f.csv, columns: {points: [[xa, ya, za], [xb, yb, zb]]}, markers: [9, 17], "
         "frames: {from: 0.2 s, to: 1.2 s}, time_offset: -0.2 s, " +
         recording + "}]\n  parameters: [axial_stiffness]\n";
}

}  // namespace

TEST_CASE("reference: rest finds a stiffness where absolute positions cannot", "[app][fit][rest]") {
  const Workplace place;
  record_rod(place);
  place.write("fit.yaml", fit_rod("rest_frames: {last: 40}, reference: rest, initial_state: from_recording"));
  const Outcome fit = place.run("fit fit.yaml --out run --json --quiet");
  INFO(fit.out << fit.err);
  const json parameters = fit.json()["parameters"];
  REQUIRE(parameters.size() == 1);
  CHECK(parameters[0]["estimate"].get<double>() == Approx(120).epsilon(0.02));
  place.write("absolute.yaml", fit_rod("initial_state: from_recording"));
  const Outcome absolute = place.run("fit absolute.yaml --out absolute --json --quiet");
  CHECK(std::abs(absolute.json()["parameters"][0]["estimate"].get<double>() - 120) > 12);
}

TEST_CASE("reference: rest starts at the displacements estimated from the first frames", "[app][fit][rest]") {
  const Workplace place;
  record_rod(place);
  place.write("fit.yaml", fit_rod("rest_frames: {last: 40}, reference: rest, initial_state: from_recording"));
  const FitSpec spec = read_fit(load_document((place / "fit.yaml").string()));
  const Recording& rod = spec.recordings[0];
  const optim::Observation& seen = rod.observation;
  REQUIRE(rod.own.scenario.rest_near);
  for (Index m = 0; m < 2; ++m) {
    const Index vertex = seen.markers[m].vertices.front().first;
    const Vec3 displacement = seen.place(0, m) - rod.motion.rest.col(m);
    REQUIRE(displacement.norm() > 0.3e-3);
    CHECK((rod.own.scenario.initial.x.col(vertex) - displacement).norm() < 0.1e-3);
    CHECK((seen.reference.observed.col(m) - rod.motion.rest.col(m) - rod.own.scenario.initial.x.col(vertex)).norm() <
          1e-12);
  }
  CHECK(rod.own.scenario.initial.x.leftCols(3).norm() == 0);                                          // pinned
  CHECK(rod.own.scenario.initial.x.col(10).norm() > 0.2 * rod.own.scenario.initial.x.col(9).norm());  // beside a marker
}

TEST_CASE("reference: rest needs a rest on both sides", "[app][fit][rest]") {
  const Workplace place;
  write_three_runs(place);
  const auto complaint = [&](const std::string& keys) {
    return ball_complaint(place,
                          "fit:\n  residual: {sigma: 1 mm}\n  recordings: [{file: runs.csv, rate: 100, rows: "
                          "{run: a}, markers: [1], reference: rest, " +
                              keys + "}]\n  parameters: [stiffness]\n");
  };
  CHECK(says(complaint("initial_state: equilibrium"), "reference: rest requires `rest_frames`"));
  CHECK(says(complaint("rest_frames: {last: 5}"),
             "initial_state: must be equilibrium or from_recording with `reference: rest`, got from_system"));
  CHECK(says(complaint("rest_frames: {from: 3 s, to: 4 s}, initial_state: equilibrium"),
             "rest_frames: must show every marker that is used"));
  CHECK(complaint("rest_frames: {last: 5}, initial_state: equilibrium").empty());
}
