// Bodies that start deflected and of which few particles have markers: `initial_shape: smooth`.

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;
using nlohmann::json;

namespace {

constexpr int links = 12;

/// Particle i of a rope of 1.2 m that is pulled aside into an arc, its links of 0.1 m each.
sim::Vec3 pulled_aside(int i) {
  sim::Vec3 x = sim::Vec3::Zero();
  for (int k = 0; k < i; ++k) {
    const double angle = 1.3 * (k + 0.5) / links;
    x += 0.1 * sim::Vec3(std::sin(angle), 0, -std::cos(angle));
  }
  return x;
}

std::string rope(const std::string& body, double stiffness, double drag, const std::string& simulation) {
  return fmt::format(
      "name: rope\nsystem:\n{}  mass: 0.02\n  pinned: [0]\nforces:\n  - gravity: [0, 0, -9.81]\n  - drag: {{linear: "
      "{}}}\nsimulation: {{{}}}\n",
      fmt::format(fmt::runtime(body), stiffness), drag, simulation);
}

void record_rope(const Workplace& place) {
  std::string body = "  vertices: [";
  for (int i = 0; i <= links; ++i) {
    const sim::Vec3 x = pulled_aside(i);
    body += fmt::format("{}[{}, {}, {}]", i ? ", " : "", x[0], x[1], x[2]);
  }
  body += "]\n  springs: {{stiffness: {}, damping: 0.2, rest_length: 0.1, edges: [";
  for (int k = 0; k < links; ++k) body += fmt::format("{}[{}, {}]", k ? ", " : "", k, k + 1);
  place.write("truth.yaml",
              rope(body + "]}}\n", 400, 0.01, "integrator: imex_midpoint, time_step: 0.5 ms, duration: 2 s"));
  const Outcome filmed =
      place.run("record truth.yaml --markers 4,8,12 --rate 100 --noise '0.5 mm' --seed 7 --out f.csv");
  INFO(filmed.err);
  REQUIRE(filmed.status == 0);
}

std::string fit_rope(const std::string& recording) {
  return rope("  mesh: {{chain: {{length: 1.2, segments: 12}}}}\n  springs: {{stiffness: {}, damping: 0.2}}\n", 400,
              0.02, "integrator: imex_midpoint, time_step: 2 ms") +
         "fit:\n  recordings: [{file: f.csv, markers: [4, 8, 12], " + recording + "}]\n  parameters: [linear_drag]\n";
}

}  // namespace

TEST_CASE("smooth start: a rope that is pulled aside starts bent, and its fit is right where a straight one's is not",
          "[app][fit][start]") {
  const Workplace place;
  record_rope(place);
  place.write("smooth.yaml", fit_rope("initial_state: from_recording, initial_shape: smooth"));
  const app::FitSpec spec = app::read_fit(app::load_document((place / "smooth.yaml").string()));
  const sim::Points& start = spec.recordings[0].own.scenario.initial.x;
  for (int i = 0; i <= links; ++i) {
    CAPTURE(i);
    CHECK((start.col(i) - pulled_aside(i)).norm() < 0.01);  // the tip is 0.7 m aside
  }
  const Outcome smooth = place.run("fit smooth.yaml --out smooth --json");
  INFO(smooth.out << smooth.err);
  CHECK(smooth.err.find("9 of 13 particles have no marker") != std::string::npos);
  CHECK(smooth.err.find("follow a smooth shape through the markers") != std::string::npos);
  const json found = smooth.json()["parameters"][0];
  CHECK(std::abs(found["estimate"].get<double>() - 0.01) < 3 * found["standard_error"].get<double>());
  CHECK(found["estimate"].get<double>() == Approx(0.01).epsilon(0.05));

  place.write("rigid.yaml", fit_rope("initial_state: from_recording"));
  const Outcome rigid = place.run("fit rigid.yaml --out rigid --json");
  INFO(rigid.out << rigid.err);
  CHECK(rigid.err.find("`initial_shape: smooth` deflects the body through them") != std::string::npos);
  CHECK(std::abs(rigid.json()["parameters"][0]["estimate"].get<double>() - 0.01) > 0.002);
}

TEST_CASE("smooth start: the error of the start is that of the markers, spread as the shape is", "[app][fit][start]") {
  const Workplace place;
  record_rope(place);
  place.write("smooth.yaml", fit_rope("initial_state: from_recording, initial_shape: smooth"));
  const app::Recording rope = app::read_fit(app::load_document((place / "smooth.yaml").string())).recordings[0];
  REQUIRE(rope.known.errors.size() == 1);
  const optim::ValueError& error = rope.known.errors[0];
  REQUIRE(error.entries.size() == 6 * links);
  CHECK(error.root.cols() == 6 * 3);
  const auto deviation = [&](sim::Index particle) {  // of x; particle 0 is pinned
    return error.root.row(3 * (particle - 1)).norm();
  };
  CHECK(deviation(4) > 0.05e-3);
  CHECK(deviation(4) < 1e-3);
  CHECK(deviation(1) < 0.5 * deviation(4));  // nearer to the pin
  CHECK(error.root.row(3 * links + 3 * 3).norm() > 0);
}

TEST_CASE("smooth start: the key is rejected where nothing follows the markers, and without enough of them",
          "[app][fit][start][error]") {
  const Workplace place;
  record_rope(place);
  const auto rejects = [&](const std::string& recording, const std::string& what, const std::string& more = "") {
    place.write("fit.yaml", fit_rope(recording));
    const Outcome outcome = place.run("fit fit.yaml --out run " + more);
    CAPTURE(recording, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(what) != std::string::npos);
  };
  rejects("initial_shape: smooth", "initial_shape: requires `initial_state: from_recording`");
  rejects("initial_state: from_recording, initial_shape: smooth, reference: rest, rest_frames: {last: 20}",
          "got reference: rest; remove it");
  rejects("initial_state: from_recording, initial_shape: smooth",
          "initial_shape: a smooth shape requires markers at different places of the body, got '0' and '1' at one",
          "--set 'fit.recordings.0.markers=[4, 4, 8]'");
}
