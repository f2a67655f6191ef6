// Start states that come from the recording: with their error, listed last, and left alone by `starts`.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::Workplace;

namespace {

/// A chain that falls to one side.
std::string chain(double stiffness, double drag, const std::string& simulation) {
  return fmt::format(
      "name: chain\nsystem:\n  mesh: {{chain: {{length: 0.6, segments: 3, axis: [1, 0, -1]}}}}\n  mass: 0.05\n"
      "  pinned: [top]\n  springs: {{stiffness: {}, damping: 0.05}}\nforces:\n  - gravity: [0, 0, -9.81]\n"
      "  - drag: {{linear: {}}}\nsimulation: {{{}}}\n",
      stiffness, drag, simulation);
}

const std::string filmed = "integrator: velocity_verlet, time_step: 0.5 ms, duration: 2 s";
const std::string fitted = "integrator: imex_midpoint, time_step: 2 ms";

void record_chain(const Workplace& place, int rate, const std::string& noise, int seed, const std::string& file,
                  const std::string& markers = "1,2,3") {
  place.write("truth.yaml", chain(40, 0.02, filmed));
  REQUIRE(place
              .run(fmt::format("record truth.yaml --markers {} --rate {} --noise '{}' --seed {} --out {}", markers,
                               rate, noise, seed, file))
              .status == 0);
}

std::string fit_from(const std::string& file, const std::string& recording, const std::string& more = "") {
  return chain(30, 0.01, fitted) +
         fmt::format("fit:\n  recordings: [{{file: {}, {}}}]\n  parameters: [stiffness, linear_drag]\n{}", file,
                     recording, more);
}

/// How many intervals of two parameters hold the truth in fits to that many recordings, with a start from each.
int intervals_that_hold(int recordings, const std::string& frames) {
  const Workplace place;
  int inside = 0;
  for (int seed = 1; seed <= recordings; ++seed) {
    record_chain(place, 50, "2 mm", seed, fmt::format("film{}.csv", seed));
    place.write("fit.yaml", fit_from(fmt::format("film{}.csv", seed),
                                     "markers: [1, 2, 3], initial_state: from_recording" + frames));
    const Outcome fit = place.run(fmt::format("fit fit.yaml --out run{} --json", seed));
    INFO(fit.err);
    REQUIRE(fit.status == 0);
    const json parameters = fit.json()["parameters"];
    const double truth[] = {40, 0.02};
    for (std::size_t k = 0; k < 2; ++k)
      if (parameters[k]["interval"][0].get<double>() <= truth[k] &&
          parameters[k]["interval"][1].get<double>() >= truth[k])
        ++inside;
  }
  return inside;
}

}  // namespace

TEST_CASE("start states: of an exact film the start is found with the rest, and parameters come first",
          "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 25, "0 mm", 1, "film.csv");
  place.write("fit.yaml", fit_from("film.csv", "markers: [1, 2, 3], initial_state: from_recording"));
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  const json parameters = fit.json()["parameters"];
  REQUIRE(parameters.size() == 2 + 18);
  CHECK(parameters[0]["estimate"].get<double>() == Approx(40).epsilon(2e-3));
  CHECK(parameters[1]["estimate"].get<double>() == Approx(0.02).epsilon(0.02));
  CHECK(parameters[2]["value"] == "position");
  CHECK(parameters[19]["value"] == "velocity");
}

TEST_CASE("start states: frames that are too far apart determine no initial state", "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 5, "0 mm", 1, "film.csv");
  place.write("fit.yaml",
              fit_from("film.csv", "markers: [1, 2, 3], initial_state: from_recording", "  residual: {sigma: 1 mm}\n"));
  const Outcome fit = place.run("fit fit.yaml --out run");
  CHECK(fit.status == 2);
  CHECK(fit.err.find("three frames within a quarter") != std::string::npos);
  CHECK(fit.err.find("write `free`") != std::string::npos);
}

TEST_CASE("start states: starts vary what was asked for", "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 50, "1 mm", 2, "film.csv");
  place.write("fit.yaml",
              fit_from("film.csv", "markers: [1, 2, 3], initial_state: free", "  starts: {count: 4, factor: 1.5}\n"));
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.json()["parameters"][0]["estimate"].get<double>() == Approx(40).epsilon(0.02));
}

TEST_CASE("start states: what no recording sees of a free start is named as held", "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 50, "1 mm", 2, "film.csv");
  const auto notes_with = [&](const std::string& columns) {
    place.write("fit.yaml", fit_from("film.csv", "markers: [1, 2, 3], initial_state: free" + columns));
    const Outcome fit = place.run("fit fit.yaml --out run --json");
    INFO(fit.out << fit.err);
    REQUIRE(fit.status == 0);
    return pithball::test::notes_of(fit.json());
  };
  const std::string held = "held: y of the start of film, as in the file, which no recording sees";
  CHECK(notes_with(", columns: {points: [[x0, none, z0], [x1, none, z1], [x2, none, z2]]}").find(held) !=
        std::string::npos);
  CHECK(notes_with("").find("held:") == std::string::npos);
}

TEST_CASE("start states: particles without a marker follow the markers, and a note says so", "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 50, "1 mm", 3, "film.csv", "1,3");
  place.write("fit.yaml",
              fit_from("film.csv", "markers: [1, 3], initial_state: from_recording", "  accept_misfit: true\n"));
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  INFO(fit.out << fit.err);
  CHECK(fit.err.find("1 of 4 particles have no marker") != std::string::npos);
}

TEST_CASE("start states: intervals of three short recordings hold the truth with a start from each",
          "[app][fit][start][coverage]") {
  CHECK(intervals_that_hold(3, ", frames: {to: 1 s}") >= 4);  // of six: fewer by chance less than once in 400
}

TEST_CASE("start states: intervals hold the truth with a start from the recording",
          "[app][fit][start][slow][coverage]") {
  const int inside = intervals_that_hold(60, "");
  INFO("inside " << inside << " of 120");
  CHECK(inside >= 104);  // 95 % of 120 is 114 ± 2.4: fewer once in 10,000
}

TEST_CASE("start states: a recording that is only forecast starts from its own first frames", "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 50, "2 mm", 5, "one.csv");
  record_chain(place, 50, "2 mm", 6, "two.csv");
  place.write("fit.yaml", chain(30, 0.01, fitted) +
                              "fit:\n  recordings:\n    - {file: one.csv, markers: [1, 2, 3], initial_state: free}\n"
                              "    - {file: two.csv, markers: [1, 2, 3], initial_state: free, role: validation}\n"
                              "  parameters: [stiffness, linear_drag]\n");
  const Outcome fit = place.run("fit fit.yaml --out run --json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  const json told = fit.json();
  CHECK(told["parameters"].size() == 2 + 18);
  CHECK(told["notes"].empty());
  CHECK(told["errors"]["validation_frames"].get<double>() < 3 * 2e-3 * std::sqrt(3.0));
  // Every recording by a fit to the others, printed and kept.
  const Outcome both =
      place.run("fit fit.yaml --out both --set fit.recordings.1.role=fit --set fit.cross_validate=recordings");
  INFO(both.out << both.err);
  REQUIRE(both.status == 0);
  CHECK(both.out.find("cross-validation (converged), one: RMS") != std::string::npos);
  const json kept = json::parse(read_text(place / "both/fit.json"));
  REQUIRE(kept["cross_validation"].size() == 2);
  CHECK(kept["cross_validation"][1]["all"]["rms"].get<double>() < 3 * 2e-3 * std::sqrt(3.0));
  const Outcome alone = place.run("fit fit.yaml --out alone --set fit.cross_validate=recordings");
  CHECK(alone.status == 2);
  CHECK(alone.err.find("at least two recordings with role fit") != std::string::npos);
}

TEST_CASE("start states: a wrong unit of length is named although the start comes from the recording",
          "[app][fit][start]") {
  const Workplace place;
  record_chain(place, 25, "1 mm", 1, "film.csv");
  for (const char* start : {"from_recording", "free"}) {
    place.write("fit.yaml",
                fit_from("film.csv", fmt::format("markers: [1, 2, 3], initial_state: {}, scale: 1000", start),
                         "  max_iterations: 1\n  stages: []\n"));
    const Outcome fit = place.run("fit fit.yaml --out " + std::string(start));
    INFO(fit.out << fit.err);
    CHECK(fit.err.find("readings are in m, 1000 times those of the simulated start") != std::string::npos);
    CHECK(fit.err.find("write `scale: 1 m`") != std::string::npos);
  }
}
