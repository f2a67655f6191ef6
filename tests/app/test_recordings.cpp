// Recordings of every kind, through the program.

#include <Eigen/Geometry>
#include <cmath>

#include "datasets/capture/capture_reader.hpp"
#include "tests/app/program.hpp"
#include "tests/datasets/formats/c3d_writer.hpp"
#include "tests/support/recordings.hpp"

using nlohmann::json;
using pithball::datasets::Capture;
using pithball::datasets::CaptureSpec;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::Workplace;
namespace sim = pithball::sim;

namespace {

/// A sheet of 5×5 masses that hangs by one side and swings.
const char* const sheet = R"(name: sheet
system:
  mesh: {grid: {size: [0.4, 0.4], segments: [4, 4], bend: false}}
  mass: 1 g
  pinned: [top]
  springs: {stiffness: 20, damping: 0.01}
forces:
  - gravity: [0, 0, -9.81]
simulation: {integrator: imex_midpoint, time_step: 5 ms}
)";

/// The sheet, released 1 s late on a recorder's clock that runs by 1 % too fast, in a frame that is turned and shifted,
/// as a C3D file in mm: particles 0, 4, 12, 20, 22 and 24; one of them missing in frame 3.
void record_c3d(const Workplace& place, const std::string& name) {
  place.write("simulate.yaml", std::string(sheet).replace(std::string(sheet).find("time_step"), 0, "duration: 0.5, "));
  const Outcome run = place.run("simulate simulate.yaml --out run --quiet");
  INFO(run.err);
  REQUIRE(run.status == 0);
  CaptureSpec spec;
  spec.file = (place / "run/trajectory.h5").string();
  const Capture states = pithball::datasets::read_capture(spec);
  const Eigen::Matrix3d R = Eigen::AngleAxisd(0.8, Eigen::Vector3d(1, 2, 2) / 3).toRotationMatrix();
  const Eigen::Vector3d T(0.2, -0.3, 1.1);
  pithball::testing::C3dContent content;
  content.rate = 100 / 1.01F;  // every second state, 10 ms
  content.labels = {"a", "b", "c", "d", "e", "f"};
  for (std::size_t n = 4; n < states.positions.size(); n += 2) {
    auto& frame = content.frames.emplace_back();
    for (const sim::Index i : {0, 4, 12, 20, 22, 24}) {
      const Eigen::Vector3d x = 1e3 * (R.transpose() * (states.positions[n].col(i) - T));
      frame.push_back({x[0], x[1], x[2], content.frames.size() == 4 && i == 12 ? -1.0 : 0.0});
    }
  }
  place.write(name, pithball::testing::C3dWriter(content).bytes());
}

std::string fit_section(const std::string& markers, const std::string& rest) {
  return std::string(sheet) + "fit:\n  recordings:\n    - file: film.c3d\n      markers: " + markers + "\n" + rest +
         "  residual: {sigma: 0.1 mm}\n  parameters:\n    - stiffness: {initial: 30}\n";
}

const std::string unknown =
    "      time_offset: 0.03 s\n"
    "      clock: {offset: [0, 0.04 s], scale: [0.98, 1.02]}\n"
    "      placement: {register: true, fit: both}\n";

}  // namespace

TEST_CASE("fit: a C3D recording with unknown clock and placement gives them back with the stiffness",
          "[app][recordings]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  place.write("fit.yaml",
              fit_section("[0, 4, {attach: nearest_vertex, max_distance: 2 cm}, 20, nearest_vertex, 24]", unknown));
  const Outcome fit = place.run("fit fit.yaml --out out --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const json report = fit.json();
  std::map<std::string, double> estimate;
  for (const json& p : report["parameters"]) {
    estimate[p["name"]] = p["estimate"];
    CHECK(p["identifiable"] == true);
    CHECK(p["standard_error"].get<double>() > 0);
  }
  REQUIRE(estimate.size() == 9);
  // The film holds floats in mm, good to 1e-8 of a meter; clocks and angles follow to what that moves them by.
  CHECK(estimate["stiffness"] == Approx(20).epsilon(1e-4));
  CHECK(estimate["clock_offset[film]"] == Approx(0.02).margin(1e-5));
  CHECK(estimate["clock_scale[film]"] == Approx(1 / 1.01).margin(1e-5));
  const double third = 0.8 / 3;
  CHECK(estimate["placement_rotation[film].x"] == Approx(third).margin(1e-5));
  CHECK(estimate["placement_rotation[film].y"] == Approx(2 * third).margin(1e-5));
  CHECK(estimate["placement_translation[film].x"] == Approx(0.2).margin(1e-5));
  CHECK(estimate["placement_translation[film].z"] == Approx(1.1).margin(1e-5));

  const json attached = report["recordings"][0]["attachments"];
  REQUIRE(attached.size() == 2);
  CHECK(attached[0]["marker"] == "c");
  CHECK(attached[1]["vertices"] == json::array({22}));
  CHECK(attached[1]["distance"].get<double>() < 0.01);
  // run.yaml says what was found, and repeats the fit.
  const Outcome again = place.run("fit out/run.yaml --out again --json");
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.json()["parameters"][0]["estimate"].get<double>() ==
        Approx(report["parameters"][0]["estimate"].get<double>()).epsilon(1e-9));
  CHECK(again.json()["recordings"][0]["attachments"].empty());
}

TEST_CASE("fit: markers are attached to faces in the frame that the placement gives", "[app][recordings]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  place.write("fit.yaml", fit_section("{attach: nearest_face, max_distance: 1 cm}",
                                      "      time_offset: 0.02 s\n      placement: {rotation: [0.2666666666666667, "
                                      "0.5333333333333333, 0.5333333333333333], translation: [0.2, -0.3, 1.1]}\n"));
  const Outcome fit = place.run("fit fit.yaml --out out");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.out.find("film: 6 markers attached") != std::string::npos);
  const json attached = json::parse(read_text(place / "out/fit.json"))["recordings"][0]["attachments"];
  REQUIRE(attached.size() == 6);
  const std::vector<int> particles{0, 4, 12, 20, 22, 24};
  for (std::size_t m = 0; m < 6; ++m) {
    double sum = 0, of_particle = 0;
    for (std::size_t k = 0; k < attached[m]["weights"].size(); ++k) {
      sum += attached[m]["weights"][k].get<double>();
      if (attached[m]["vertices"][k] == particles[m]) of_particle += attached[m]["weights"][k].get<double>();
    }
    CHECK(sum == Approx(1));
    CHECK(of_particle > 0.95);  // the sheet had moved by 2 mm, little of it within its plane
    CHECK(attached[m]["distance"].get<double>() < 5e-3);
  }
}

TEST_CASE("fit: what is wrong with clocks, placements and attachments is rejected before anything is written",
          "[app][recordings][error]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  const auto rejects = [&](const std::string& markers, const std::string& rest, const std::string& words) {
    place.write("fit.yaml", fit_section(markers, rest));
    const Outcome fit = place.run("fit fit.yaml --out out --quiet");
    CAPTURE(markers, rest, words, fit.err);
    CHECK(fit.status == 2);
    CHECK(fit.err.find(words) != std::string::npos);
    CHECK(!pithball::test::fs::exists(place / "out"));
  };
  const std::string particles = "[0, 4, 12, 20, 22, 24]";
  rejects(particles, "      clock: {offset: [-0.1, 0.1]}\n", "before the start of the simulation");
  rejects(particles, "      clock: {offset: [0.1, 0.2]}\n", "around the start 0");
  rejects(particles, "      clock: {scale: 1.01}\n", "list");
  rejects(particles, "      placement: {register: true, rotation: [0, 0, 1]}\n", "must not be given together with");
  rejects("[0, 4, nearest_vertex, nearest_vertex, nearest_vertex, nearest_face]", "      placement: {register: true}\n",
          "at least three points");
  rejects("nearest_vertex", "", "within");
  rejects("{attach: nearest_edge}", "", "must be one of nearest_vertex");
  rejects("{near: 3}", "", "markers.near: is not a known key here");
  rejects(particles, "      columns: {points: [[x, y, z]]}\n", "film.c3d");
  rejects(particles, "      select: [a, z]\n", "known are a, b");
}

TEST_CASE("parameters: clocks are set free in their recording, placements may be shared", "[app][recordings]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  place.write("fit.yaml",
              fit_section("[0, 4, 12, 20, 22, 24]", "      placement: {register: true}\n") + "    - clock_offset\n");
  Outcome fit = place.run("fit fit.yaml --out out --quiet");
  CHECK(fit.status == 2);
  CHECK(fit.err.find("`clock: {offset: [lower, upper]}`") != std::string::npos);
  place.write("fit.yaml", fit_section("[0, 4, 12, 20, 22, 24]", "      placement: {register: true}\n") +
                              "    - placement_rotation: {recordings: all}\n    - placement_translation\n");
  fit = place.run("fit fit.yaml --out out --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.json()["parameters"][1]["name"] == "placement_rotation.x");
}

TEST_CASE("placement: a registered one is refined after the requested parameters, unless the file says otherwise",
          "[app][recordings]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  const std::string clock = "      time_offset: 0.03 s\n      clock: {offset: [0, 0.04 s], scale: [0.98, 1.02]}\n";
  const auto fit = [&](const std::string& placement) {
    place.write("fit.yaml", fit_section("[0, 4, 12, 20, 22, 24]", clock + "      placement: " + placement + "\n"));
    const Outcome outcome = place.run("fit fit.yaml --out out --overwrite --json");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.json()["parameters"];
  };
  const json refined = fit("{register: true}");
  REQUIRE(refined.size() == 3 + 6);
  CHECK(refined[0]["name"] == "stiffness");
  CHECK(refined[1]["value"] == "clock_offset");
  CHECK(refined[3]["value"] == "placement_rotation");
  CHECK(refined[8]["value"] == "placement_translation");
  CHECK(refined[0]["estimate"].get<double>() == Approx(20).epsilon(1e-4));
  // What a run folder says of itself leads to the same fit.
  const Outcome again = place.run("fit out/run.yaml --out again --json");
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.json()["parameters"] == refined);
  CHECK(fit("{register: true, fit: none}").size() == 3);
}

TEST_CASE("data show: C3D and CSV of one trial agree in one line", "[app][recordings][data]") {
  const std::string trial = pithball::tests::recordings("mocap_formats") + "/markers";
  const Outcome shown = Workplace().run("data show " + trial + "_analogs.c3d --against " + trial + ".csv");
  INFO(shown.err);
  REQUIRE(shown.status == 0);
  CAPTURE(shown.out);
  CHECK(shown.out.find("29275 samples in both, 305 missing in both, 0 in one") != std::string::npos);
  // Half of the CSV's sixth digit, beyond 1 m.
  CHECK(shown.out.find("largest difference is 5e-06 m") != std::string::npos);
}

TEST_CASE("data show: says what a recording holds, in any format", "[app][recordings]") {
  const Workplace place;
  record_c3d(place, "film.c3d");
  const Outcome shown = place.run("data show film.c3d --json");
  INFO(shown.err);
  REQUIRE(shown.status == 0);
  const json c3d = shown.json();
  CHECK(c3d["format"] == "c3d");
  CHECK(c3d["frames"] == 49);
  CHECK(c3d["missing"] == 1);
  CHECK(c3d["markers"][2]["name"] == "c");
  CHECK(c3d["markers"][2]["missing"] == 1);
  const Outcome trajectory = place.run("data show run/trajectory.h5");
  CHECK(trajectory.out.find("h5md\n") != std::string::npos);
  CHECK(trajectory.out.find(
            "101 frames from 0 s to 0.5 s, 200 frames per second, 25 markers, 0 of 2525 samples missing") !=
        std::string::npos);
  CHECK(place.run("export run --format npz --quiet").status == 0);
  CHECK(place.run("data show run/export/npz/sheet.npz").out.find("npz\n  101 frames") != std::string::npos);
  const json itself = place.run("data show film.c3d --against film.c3d --json").json()["against"];
  CHECK(itself["samples"] == 49 * 6 - 1);
  CHECK(itself["missing_in_both"] == 1);
  CHECK(itself["largest_difference"] == 0);
  const Outcome another = place.run("data show run/trajectory.h5 --against film.c3d");
  CHECK(another.status == 2);
  CHECK(another.err.find("must be those of 'trajectory' to be compared") != std::string::npos);
  CHECK(place.run("data show nowhere.c3d").status == 2);
  CHECK(place.run("data show film.c3d --format c3e").status == 2);
}

TEST_CASE("record: the comment states what is missing, and true values, vectors by component", "[app][recordings]") {
  using pithball::test::says;
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  const auto comment = [&](const std::string& arguments) {
    const Outcome made = place.run("record " + arguments + " --rate 50 --out f.csv --overwrite --json");
    INFO(made.err);
    REQUIRE(made.status == 0);
    return made.json()["comment"].get<std::string>();
  };
  const std::string whole = comment("small.yaml");
  CAPTURE(whole);
  CHECK(says(whole, "Missing: 0 of 33 samples.\n"));
  CHECK(says(whole, "stiffness 10 N/m, rest_length 1 to 1.41421356237 m"));
  CHECK(says(whole, "gravity (0, 0, -9.81) m/s^2"));
  CHECK(says(comment("small.yaml --missing 0.1 --gap '60 ms'"),
             " of 33 samples. Each was dropped with probability 0.1. Each marker has one gap of 3 frames.\n"));
  CHECK(says(comment("small.yaml --gap '20 ms'"), "Missing: 3 of 33 samples. Each marker has one gap of 1 frame.\n"));
  CHECK(says(comment("small.yaml --set system.payload=0.05"), "mass 0.1 kg, payload 0.05 kg"));
  place.write("rods.yaml",
              std::string(pithball::test::small_experiment) +
                  "constraints:\n  - distance: {edges: [[0, 1], [1, 2], [2, 0]], compliance: [0, 1e-2, 0]}\n");
  CHECK(says(comment("rods.yaml --set simulation.integrator=xpbd"),
             "distance_compliance 0 to 0.01 m/N"));  // of three links: no vector
}
