// Bodies and recordings from the detections of a film, through the program.

#include <fmt/format.h>

#include <cmath>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using pithball::test::notes_of;
using pithball::test::Outcome;
using pithball::test::says;
using pithball::test::Workplace;

namespace {

/// Three balls that fall from rest side by side, filmed by 100 frames per second in pixels of 2 mm from frame 20 on;
/// the third is lost after 15 frames. The rows of a frame change their order.
std::string falling_spots() {
  std::string table =
      "frame,time [s],x [px],y [px],variance_x [px^2],covariance_xy [px^2],variance_y [px^2],size "
      "[px],brightness,snr\n";
  for (int f = 0; f < 60; ++f)
    for (int k = 0; k < 3; ++k) {
      const int p = f % 2 == 0 ? k : 2 - k;
      if (p == 2 && f > 15) continue;
      const double t = f / 100.0, wobble = 0.05 * std::sin(71.0 * f * f + p);
      table += fmt::format("{},{:.3f},{:.3f},{:.3f},0.01,0,0.01,2,900,20\n", f + 20, t, 100.0 + 150 * p - wobble,
                           10 + 0.5 * 9.81 * t * t / 2e-3 + wobble);
    }
  return table;
}

const char* const filmed_balls = R"(name: balls
system:
  vertices: {file: film.csv, frame: 20, lasting: 40, travel: 40, scale: 2 mm, up: -y}
  mass: 1
  springs: none
forces:
  - gravity: [0, 0, -9]
simulation: {integrator: velocity_verlet, time_step: 10 ms}
fit:
  recordings:
    - {file: film.csv, links: {frame: 20, lasting: 40, travel: 40}, scale: 2 mm, up: -y}
  parameters:
    - gravity: {components: z}
)";

}  // namespace

TEST_CASE("fit: a body and its recording from the detections of a film", "[app][recordings][detections]") {
  const Workplace place;
  place.write("fit.yaml", filmed_balls);
  place.write("film.csv", falling_spots());
  const Outcome fit = place.run("fit fit.yaml --out out --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.json()["parameters"][0]["estimate"].get<double>() == Approx(-9.81).epsilon(1e-3));
  CHECK(says(notes_of(fit.json()), "film.csv: 1 of 3 spots of frame 20 last less than 40 frames and are left out"));
  CHECK(says(pithball::test::read_text(place / "out/run.yaml"), "format: detections"));
  // The file that holds every key is read as the same body.
  const Outcome again = place.run("fit out/run.yaml --out again --json");
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.json()["parameters"][0]["estimate"] == fit.json()["parameters"][0]["estimate"]);
}

TEST_CASE("detections: keys that are missing are named", "[app][recordings][detections][error]") {
  const Workplace place;
  place.write("film.csv", falling_spots());
  place.write("fit.yaml", filmed_balls);
  const auto complaint = [&](const std::string& change) { return place.run("fit fit.yaml --quiet " + change).err; };
  CHECK(says(complaint("--set system.vertices.travel=0"), "system.vertices.travel: must be > 0"));
  CHECK(says(complaint("--set system.vertices.lasting=900"), "lasting: must be reached by a spot of frame 20"));
  CHECK(says(complaint("--set fit.recordings.0.links.frame=3"), "frame: must be a frame with a spot"));
  CHECK(says(complaint("--set fit.recordings.0.links.lasting=2"), "3 points, 2 particles"));
}
