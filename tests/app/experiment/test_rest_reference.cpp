// Displacements from rest on both sides: where the body hangs in the room, and how its mount was drawn, do not matter.

#include "app/experiment/recording/recording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "app/experiment/recording/recorded_motion.hpp"
#include "datasets/text/csv_table.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "tests/app/experiment/ball_document.hpp"
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

TEST_CASE("reference: rest holds the errors of its rest and of its start as what they change", "[app][fit][rest]") {
  const Workplace place;
  record_rod(place);
  const auto read = [&](const char* start) {
    place.write("fit.yaml", fit_rod(std::string("rest_frames: {last: 40}, reference: rest, initial_state: ") + start));
    return read_fit(load_document((place / "fit.yaml").string()));
  };
  const auto values_of = [](const FitSpec& spec) {  // in the order of the entries of the error
    const diff::Scenario& scenario = spec.recordings[0].own.scenario;
    const Points& observed = spec.recordings[0].observation.reference.observed;
    Vector values(2 * scenario.initial.x.size() + observed.size());
    values << scenario.initial.x.reshaped(), scenario.initial.v.reshaped(), observed.reshaped();
    return values;
  };
  const FitSpec displaced = read("from_recording"), hanging = read("equilibrium");
  // The rest of marker b (17) moves by 1 mm along y.
  const datasets::CsvTable table((place / "f.csv").string(), 1, 0);
  std::string moved = "t,xa,ya,za,xb,yb,zb\n";
  for (Index row = 0; row < table.rows(); ++row)
    for (Index c = 0; c < 7; ++c)
      moved += fmt::format("{:.12g}{}", table.number(row, c) + (c == 5 && row >= table.rows() - 40 ? 1e-3 : 0),
                           c < 6 ? "," : "\n");
  place.write("f.csv", moved);
  const Vector change = (values_of(read("from_recording")) - values_of(displaced)) / 1e-3;
  REQUIRE(displaced.recordings[0].known.errors.size() == 1);
  const optim::ValueError& error = displaced.recordings[0].known.errors[0];
  // A column for place, speed and rest of each of six components; that of the rest is the last.
  REQUIRE(error.root.cols() == 18);
  const Index own = 3 * 17 + 1;
  const double size = -error.root(own, 14);
  CHECK(size > 0.02e-3 / std::sqrt(40.0) / 2);
  CHECK(size < 0.02e-3);  // less than the noise of one frame
  CHECK((error.root.col(14) / size - change).norm() < 1e-6 * change.norm());
  // Error of its place: the start moves, and with it the place from which displacements count.
  const Index observed = error.root.rows() - 6 + 3 + 1;
  CHECK(error.root(observed, 12) == Approx(error.root(own, 12)).epsilon(1e-9));

  REQUIRE(hanging.recordings[0].known.errors.size() == 1);
  const optim::ValueError& rest = hanging.recordings[0].known.errors[0];
  CHECK(rest.root.rows() == 6);
  CHECK(rest.root(4, 4) == Approx(size).epsilon(1e-9));
  CHECK(rest.entries[4] == optim::reference_entry(hanging.recordings[0].own.scenario, 1, 1));
}

TEST_CASE("rest_frames: the error of a mean is that of colored noise", "[app][rest]") {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const double rho : {0.0, 0.6}) {
    CAPTURE(rho);
    double squares = 0, predicted = 0;
    for (int draw = 0; draw < 400; ++draw) {
      datasets::Capture capture;
      capture.markers = {"a", "b"};
      Points noise = Points::Zero(3, 2);
      capture.time = Vector::LinSpaced(60, 0, 1);
      for (int frame = 0; frame < 60; ++frame) {
        for (double& x : noise.reshaped())
          x = frame == 0 ? normal(random) : rho * x + std::sqrt(1 - rho * rho) * normal(random);
        capture.positions.push_back(1e-3 * noise);
      }
      squares += RestFrames{.last = 40}.mean(capture).squaredNorm();
      predicted += RestFrames{.last = 40}.error(capture).squaredNorm();
    }
    // 2,400 means: 3 % each way; (1+ρ)/(1−ρ) of 240 samples scatters and is convex: 15 %.
    CHECK(predicted / squares == Approx(1).epsilon(0.15));
  }
  datasets::Capture one;
  one.markers = {"a"};
  one.time = Vector::Zero(1);
  one.positions = {Points::Zero(3, 1)};
  CHECK(std::isnan(RestFrames{.first = 1}.error(one)(0, 0)));
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
