// A camera that exposes row after row sees the last rows after the time of the last frame.

#include <string>

#include "tests/app/program.hpp"
#include "tests/app/recorded_ball.hpp"
#include "tests/support/catch.hpp"

using pithball::test::Outcome;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::swinging_ball;
using pithball::test::Workplace;

TEST_CASE("rolling shutter: without a duration, the last frame is simulated to its last row", "[app][fit][camera]") {
  const Workplace place;
  const std::string camera =
      "measurement: {camera: {focal_length: 900 px, image_size: [1280, 960]}}, markers: [1], "
      "placement: {x_axis: [1, 0, 0], y_axis: [0, 0, -1], translation: [0, -1, 0]}";
  place.write("truth.yaml", swinging_ball + "fit:\n  recordings: [{name: film, planned: {rate: 20, duration: 4 s}, " +
                                camera + "}]\n  parameters: [stiffness]\n");
  const Outcome filmed = place.run("record truth.yaml --recording film --out f.csv");
  INFO(filmed.err);
  REQUIRE(filmed.status == 0);
  const std::string rolling = replaced(camera, "image_size", "row_time: 20 us, image_size");
  place.write("fit.yaml", replaced(swinging_ball, ", duration: 4 s", "") + "fit:\n  recordings: [{file: f.csv, " +
                              rolling + "}]\n  parameters: [stiffness]\n");
  const Outcome fit = place.run("fit fit.yaml --json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  const Outcome longer = place.run("fit fit.yaml --json --set 'simulation.duration=4.1 s'");
  REQUIRE(longer.status == 0);
  const auto estimate = [](const Outcome& of) { return of.json()["parameters"][0]["estimate"].get<double>(); };
  CHECK(estimate(fit) == Approx(estimate(longer)).epsilon(1e-9));

  // A written duration is taken as it is.
  const Outcome shorter = place.run("fit fit.yaml --set 'simulation.duration=3 s'");
  CHECK(shorter.status == 2);
  CHECK(says(shorter.err, "give a longer duration"));
}
