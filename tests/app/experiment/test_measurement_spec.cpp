// Recordings of cameras and instruments in experiment files.

#include "app/experiment/recording/measurement_spec.hpp"

#include <fmt/format.h>

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

namespace {

/// A table of 40 frames with these columns, of numbers that look measured.
void write_columns(const Workplace& place, const std::string& header, int columns, double size) {
  std::string table = header + "\n";
  for (int f = 0; f < 40; ++f) {
    table += fmt::format("{}", f / 100.0);
    for (int c = 0; c < columns; ++c)
      table +=
          fmt::format(",{:.9g}", size * (1 + 0.2 * std::cos(9.0 * f / 100 + c) + 1e-3 * std::sin(1e4 * (f + 7 * c))));
    table += "\n";
  }
  place.write("track.csv", table);
}

std::string with_recording(const std::string& keys, const std::string& parameters = "[stiffness]") {
  return "fit:\n  recordings:\n    - {file: track.csv, " + keys + "}\n  parameters: " + parameters + "\n";
}

const std::string lens = "focal_length: 900 px, image_size: [1280, 720]";
const std::string behind = "placement: {rotation: [-1.5707963, 0, 0], translation: [0, -1, 0]}";

}  // namespace

TEST_CASE("measurement: columns of every kind are found by the names of its components", "[app][measurement]") {
  const Workplace place;
  const auto reads = [&](const char* header, int columns, const std::string& keys) {
    write_columns(place, header, columns, 1);
    const FitSpec spec = read_ball(place, with_recording(keys));
    const Recording& recording = spec.recordings.front();
    CHECK(recording.observation.times.size() == 40);
    return recording.kind->name;
  };
  CHECK(reads("t,u0,v0", 2, "measurement: {camera: {" + lens + "}}, markers: [1], " + behind) == "camera");
  CHECK(reads("t,angle0", 1, "measurement: {angle: {segments: [{segment: [0, 1], about: [0, 1, 0]}]}}") == "angle");
  CHECK(reads("t,distance0", 1, "measurement: {distance: {between: [[0, 1]]}}") == "distance");
  CHECK(reads("t,x0,y0,z0", 3, "measurement: velocity, markers: [1]") == "velocity");
  CHECK(reads("t,x0,y0,z0", 3, "measurement: acceleration, markers: [1]") == "acceleration");
  CHECK(reads("t,x0,y0,z0", 3, "measurement: force, markers: [0]") == "force");
}

TEST_CASE("measurement: scale and sigma are in the unit of the kind", "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,angle0", 1, 10);
  const std::string angle = "measurement: {angle: {segments: [{segment: [0, 1], about: [0, 1, 0]}]}}";
  const FitSpec spec = read_ball(place, with_recording(angle + ", scale: 1 deg, sigma: 0.5 deg"));
  const optim::Observation& seen = spec.recordings.front().observation;
  CHECK(seen.positions[0](0, 0) == Approx(12 * M_PI / 180).epsilon(0.01));
  CHECK(seen.noise.sigma[0] == Approx(0.5 * M_PI / 180));
  write_columns(place, "t,x0,y0,z0", 3, 0.1);
  const FitSpec points = read_ball(place, with_recording("markers: [1], sigma: [1 mm, 2 mm, 6 mm]"));
  const optim::Observation& at = points.recordings.front().observation;
  for (int a = 0; a < 3; ++a) CHECK(at.noise.component_sigma(0, a) == Approx((a == 0 ? 1 : a == 1 ? 2 : 6) * 1e-3));
}

TEST_CASE("measurement: a calibration of OpenCV is read", "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,u0,v0", 2, 300);
  place.write("lens.yml", R"(%YAML:1.0
---
image_width: 1280
image_height: 720
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 912.5, 0., 641.25, 0., 903.375, 358.5, 0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0.11, -0.22, 0.001, -0.002, 0.07 ]
)");
  const FitSpec spec = read_ball(
      place,
      with_recording("measurement: {camera: {calibration: lens.yml, fit: [focal_length]}}, markers: [1], " + behind));
  const optim::RecordingFrame& frame = spec.recordings.front().observation.recording_frame;
  const auto own = [&](const char* name) { return frame.values()[optim::recording_frame_offset(name)]; };
  CHECK(own("focal_length") == 912.5);
  CHECK(own("principal_x") == 641.25);
  CHECK(own("principal_y") == 358.5);
  CHECK(own("lens_k1") == 0.11);
  CHECK(own("lens_k2") == -0.22);
  CHECK(own("lens_p1") == 0.001);
  CHECK(own("lens_p2") == -0.002);
  CHECK(own("lens_k3") == 0.07);
  CHECK(spec.fit->map().names() == std::vector<std::string>{"stiffness", "focal_length[track]"});
  const auto complaint = [&](const std::string& keys) {
    return ball_complaint(place, with_recording("measurement: {camera: {" + keys + "}}, markers: [1], " + behind));
  };
  CHECK(says(complaint("calibration: lens.yml, image_size: [1920, 1080]"),
             "must be the size of the calibration, 1280 × 720"));
  CHECK(says(complaint("calibration: lens.yml, focal_length: 900"), "must not be given together with `calibration`"));
}

TEST_CASE("measurement: lens and row time of a camera are fitted, in a simulation that covers the last row",
          "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,u0,v0", 2, 300);
  const auto read = [&](const std::string& keys) {
    return read_ball(place, with_recording("measurement: {camera: {" + lens + keys + "}}, markers: [1], " + behind));
  };
  const FitSpec fixed = read(""), rolling = read(", row_time: 20 us"), free = read(", fit: [k1, k2, row_time]");
  CHECK(free.fit->map().names() ==
        std::vector<std::string>{"stiffness", "lens_k1[track]", "lens_k2[track]", "row_time[track]"});
  const auto end = [](const FitSpec& spec) {
    const diff::Scenario& scenario = spec.recordings.front().own.scenario;
    return scenario.steps * scenario.time_step;
  };
  const optim::Observation& seen = rolling.recordings.front().observation;
  double row = 0, interval = seen.times[1] - seen.times[0];
  for (const Points& frame : seen.positions) row = std::max(row, frame(1, 0));
  REQUIRE(row > 0);
  CHECK(end(rolling) >= end(fixed));
  CHECK(end(rolling) >= seen.times.back() + 20e-6 * row - 1e-9);
  CHECK(end(free) >= seen.times.back() + interval - 1e-6);  // an image is read out before the next one
  const optim::ParameterInfo& info = free.fit->map().info()[3];
  CHECK(info.upper == Approx(interval / row).epsilon(1e-6));
  CHECK(info.lower <= 0);
}

TEST_CASE("measurement: the scale of vectors is a part of the placement that can be fitted", "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,x0,y0,z0", 3, 0.1);
  const auto names = [&](const std::string& placement) {
    return read_ball(place, with_recording("markers: [1], placement: {" + placement + "}")).fit->map().names();
  };
  CHECK(names("fit: scale") == std::vector<std::string>{"stiffness", "placement_scale[track]"});
  CHECK(names("fit: [translation, scale]").size() == 5);
  CHECK(names("fit: both").size() == 7);
  const FitSpec spec = read_ball(place, with_recording("markers: [1], placement: {scale: 1.02}"));
  CHECK(spec.recordings.front().observation.recording_frame.scale() == 1.02);
}

TEST_CASE("measurement: what does not suit a kind is rejected, with place and remedy", "[app][measurement][error]") {
  const Workplace place;
  write_columns(place, "t,u0,v0,u1,v1,angle0,distance0,x0,y0,z0", 9, 300);
  const auto rejects = [&](const std::string& keys, const std::string& words) {
    const std::string message = ball_complaint(place, with_recording(keys));
    INFO(keys << "\n" << message);
    CHECK(says(message, words));
    CHECK(says(message, "ball.yaml:"));
  };
  const std::string camera = "measurement: {camera: {" + lens + "}}";
  rejects("measurement: {thermometer: {}}", "measurement.thermometer: is not a known key here");
  rejects("measurement: thermometer", "must be one of point, camera, angle");
  rejects("measurement: {camera: {image_size: [1280, 720]}}, markers: [0, 1]", "focal_length");
  rejects("measurement: {camera: {focal_length: 900 px}}, markers: [0, 1]", "principal_point: is required");
  rejects("measurement: {camera: {focal_length: 900 px, image_size: [200, 100]}}, markers: [0, 1]",
          "must contain the recorded pixels");
  rejects(camera + ", markers: [0, 1], placement: {register: true}", "at least four markers");
  rejects(camera + ", markers: [0, 1], up: y", "must be omitted for `measurement: camera`");
  rejects(camera + ", markers: [0, 1], initial_state: from_recording", "requires positions of points");
  rejects(camera + ", markers: nearest_vertex", "only where positions are recorded");
  rejects("measurement: {camera: {" + lens + ", fit: [image_scale]}}, markers: [0, 1]", "must list focal_length");
  rejects("measurement: {camera: {" + lens + ", fit: [k4]}}, markers: [0, 1]", "must list focal_length");
  rejects(
      "measurement: {camera: {projection: orthographic, image_scale: 900 px/m, image_size: [1280, 720], fit: [k1]}}, "
      "markers: [0, 1]",
      "must list image_scale");
  rejects(camera + ", markers: [0, 1], placement: {fit: scale}", "which only vectors have");
  rejects("markers: [1], placement: {fit: [rotation, size]}", "must list rotation, translation or scale");
  rejects("markers: [1], placement: {scale: 0}", "scale");
  rejects("measurement: {distance: {between: [[0, 1], [1, 0]]}}", "one entry for each of the 1 recorded columns");
  rejects("measurement: {distance: {between: [[0, 1]]}}, markers: [0]", "must be omitted for `measurement: distance`");
  rejects("measurement: {distance: {between: [[0]]}}", "must be two particles or groups");
  rejects("measurement: {angle: {segments: [{segment: [0, 1], about: [0, 0, 1]}]}}", "must not be along `about`");
  rejects("measurement: force, markers: [1]", "requires markers on pinned or driven particles");
  rejects("measurement: velocity, markers: [1], placement: {register: true}", "for points and cameras only");
  rejects("measurement: acceleration, markers: [1], sigma: [1, 2]", "one number for each of x, y, z");
  // Meters and pixels do not mix.
  rejects(camera + ", markers: [0, 1], sigma: 1 mm", "must be a quantity in px");
  rejects(camera + ", markers: [0, 1], scale: 1 mm", "must be a quantity in px");
  rejects("measurement: {camera: {focal_length: 35 mm, image_size: [1280, 720]}}, markers: [0, 1]",
          "divide it by the width of a pixel on the sensor");
  rejects("measurement: velocity, markers: [1], sigma: 1 mm", "must be a quantity in m/s");
  // A clock that counts from another event.
  rejects(camera + ", markers: [0, 1], " + behind + ", time_offset: 1.7e9 s",
          "time_offset: must let the recording overlap with the simulation");
  rejects(camera + ", markers: [0, 1], " + behind + ", time_offset: 1.7e9 s", "got frames from 1.7e+09 to 1.7e+09 s");
  rejects(camera + ", markers: [0, 1], " + behind + ", time_offset: 3 s, set: {simulation.duration: 2 s}",
          "simulation, from 0 to 2 s, got frames from 3 to 3.39 s; write `time_offset: -0 s`");
  rejects(camera + ", markers: [0, 1], " + behind + ", time_offset: -5 s", "got frames from -5 to -4.61 s");
  // Directions of the axes.
  rejects(camera + ", markers: [0, 1], placement: {x_axis: [1, 0, 0], y_axis: [1, 1, 0]}", "must be perpendicular");
  rejects(camera + ", markers: [0, 1], placement: {x_axis: [1, 0, 0]}", "y_axis");
  rejects(camera + ", markers: [0, 1], placement: {x_axis: [1, 0, 0], y_axis: [0, 1, 0], rotation: [1, 0, 0]}",
          "must not be given together with `x_axis`");
  rejects(camera + ", markers: [0, 1], placement: {x_axis: [0, 0, 0], y_axis: [0, 1, 0]}", "must not be zero");
}

TEST_CASE("measurement: directions of the axes give the rotation of a placement", "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,x0,y0", 2, 0.1);
  const auto rotation = [&](const std::string& placement) {
    const FitSpec spec = read_ball(
        place, with_recording("columns: {points: [[x0, y0, none]]}, markers: [1], placement: {" + placement + "}"));
    return spec.recordings.front().observation.recording_frame.rotation_matrix();
  };
  const sim::Mat3 tilted = rotation("x_axis: [2, 0, 0], y_axis: [0, 0.6, 0.8]");
  CHECK(tilted.col(0).isApprox(sim::Vec3(1, 0, 0)));
  CHECK(tilted.col(1).isApprox(sim::Vec3(0, 0.6, 0.8)));
  CHECK(tilted.col(2).isApprox(sim::Vec3(0, -0.8, 0.6)));
  CHECK(rotation("x_axis: [1, 0, 0], y_axis: [0, 0, -1]").isApprox(rotation("rotation: [-1.5707963267948966, 0, 0]")));
}

TEST_CASE("measurement: pixels that are read as meters are recognized", "[app][measurement]") {
  const Workplace place;
  const auto doubts = [&](double size) {
    write_columns(place, "t,x0,y0", 2, size);
    std::string said;
    for (const std::string& doubt :
         read_ball(place, with_recording("columns: {points: [[x0, y0, none]]}, markers: [1]")).doubts)
      said += doubt + "\n";
    return said;
  };
  CHECK(says(doubts(400), "look like pixels of an image: write `measurement: {camera:"));
  CHECK_FALSE(says(doubts(0.1), "pixels"));
  write_columns(place, "t,u0,v0", 2, 300);
  CHECK(says(ball_complaint(place, with_recording("markers: [1]")),
             "got the pixels 'u0', 'v0'; write `measurement: {camera: …}`"));
}

TEST_CASE("measurement: an orthographic camera whose place is fitted does not see how far away it is",
          "[app][measurement]") {
  const Workplace place;
  write_columns(place, "t,u0,v0", 2, 300);
  const auto doubts = [&](const std::string& fit) {
    const FitSpec spec = read_ball(
        place,
        with_recording("measurement: {camera: {projection: orthographic, image_scale: 900 px/m, image_size: [1280, "
                       "720]}}, markers: [1], placement: {rotation: [-1.5707963, 0, 0], fit: " +
                       fit + "}"));
    std::string said;
    for (const std::string& doubt : spec.doubts) said += doubt + "\n";
    return said;
  };
  CHECK(says(doubts("both"), "an orthographic camera does not see how far away it is"));
  CHECK_FALSE(says(doubts("rotation"), "orthographic"));
}

TEST_CASE("measurement: multiple shooting requires positions of points", "[app][measurement][error]") {
  const Workplace place;
  write_columns(place, "t,x0,y0,z0", 3, 1);
  const std::string message =
      ball_complaint(place, with_recording("measurement: velocity, markers: [1]") + "  stages: [{segments: 4}]\n");
  INFO(message);
  CHECK(says(message, "requires positions of points"));
  CHECK(says(message, "recording 'track' of measurement velocity; write stages with a growing horizon"));
}
