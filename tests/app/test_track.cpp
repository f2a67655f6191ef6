#include <cstdlib>
#include <filesystem>

#include "datasets/film/detection_errors.hpp"
#include "datasets/film/detections.hpp"
#include "datasets/film/drawn_film.hpp"
#include "datasets/film/picture_filter.hpp"
#include "sim/core/counter_noise.hpp"
#include "tests/app/outside_program.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;
using namespace pithball::datasets;

namespace {

void require_films() {
  if (!succeeds("command -v ffmpeg"))
    pithball::tests::skip("no program ffmpeg: `third_party/install_packages.sh test` installs it");
  if (!has_picture_filter())
    pithball::tests::skip("no OpenCV: `third_party/install_packages.sh film` installs it, then build again");
}

/// The balls of the film in a frame: two that move, one that stands still at (100, 20).
std::vector<DrawnBall> balls_of(Index frame) {
  const double k = static_cast<double>(frame);
  return {{.x = 20 + 1.5 * k, .y = 30 + 0.5 * k, .velocity_x = 1.5, .velocity_y = 0.5, .height = 60, .sigma = 1.7},
          {.x = 90 - k, .y = 70.3, .velocity_x = -1, .height = -15, .sigma = 2},
          {.x = 100, .y = 20, .height = 40, .sigma = 1.5}};
}

constexpr Index film_frames = 30;

/// Writes the film without loss: 120 × 96 pixels, 25 frames a second.
void write_film(const Workplace& place, const std::string& name, const DrawnScene& scene) {
  std::string bytes;
  for (Index k = 0; k < film_frames; ++k) {
    const Picture frame = draw_frame(scene, balls_of(k), static_cast<std::uint64_t>(k));
    for (Index p = 0; p < frame.size(); ++p) bytes += static_cast<char>(static_cast<unsigned char>(frame.data()[p]));
  }
  place.write("film.raw", bytes);
  const std::string command = "cd '" + (place / "").string() +
                              "' && ffmpeg -v error -f rawvideo -pix_fmt gray -s 120x96 -framerate 25 -i film.raw "
                              "-c:v ffv1 " +
                              name;
  REQUIRE(std::system(command.c_str()) == 0);
}

DrawnScene small_scene() {
  DrawnScene scene;
  scene.width = 120;
  scene.height = 96;
  scene.background = 40;
  scene.noise = 1.5;
  return scene;
}

}  // namespace

TEST_CASE("track: a film becomes a table of detections with times and honest errors", "[app][film]") {
  require_films();
  const Workplace place;
  write_film(place, "film.mkv", small_scene());
  const Outcome outcome = place.run("track film.mkv --out table.csv --preview marked --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["frames"] == film_frames);
  CHECK(outcome.json()["width"] == 120);
  CHECK(outcome.json()["noise"].get<double>() == Approx(1.53).epsilon(0.1));
  CHECK(fs::exists(place / "marked/00029.png"));
  const Detections found = read_detections((place / "table.csv").string());
  REQUIRE(found.frames.size() == film_frames);
  DetectionErrors errors(2);
  for (const DetectionFrame& frame : found.frames) {
    errors.add(frame.spots, balls_of(frame.number));
    for (const Detection& spot : frame.spots) CHECK(spot.time == Approx(frame.number / 25.0).margin(0.0011));
  }
  CHECK(errors.found() == 1);
  CHECK(errors.false_detections() <= 2);
  CHECK(errors.bias().norm() < 0.03);
  CHECK(errors.scatter() == Approx(1).margin(0.2));
  CHECK(place.run("track film.mkv --out table.csv").status == 2);  // nothing is replaced without being asked
  CHECK(place.run("track film.mkv --out table.csv --overwrite --spots dark").status == 0);
  CHECK(read_detections((place / "table.csv").string()).count() == film_frames);
}

TEST_CASE("track: rates, rows, regions, backgrounds and still targets", "[app][film]") {
  require_films();
  const Workplace place;
  DrawnScene scene = small_scene();
  scene.row_time = 0.004;  // of the time between frames
  write_film(place, "film.mkv", scene);
  // At 50 frames per second a row is 80 µs.
  const Outcome outcome = place.run(
      "track film.mkv --out table.csv --rate 50 --row-time 8e-5 --still 90,10,20,20 --json --preview marked.mp4");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["still_targets"] == 1);
  CHECK(outcome.json()["covariance_factor"].get<double>() == Approx(1).margin(0.5));
  CHECK(fs::exists(place / "marked.mp4"));
  DetectionErrors errors(2);
  for (const DetectionFrame& frame : read_detections((place / "table.csv").string()).frames) {
    std::vector<DrawnBall> balls = balls_of(frame.number);
    for (DrawnBall& ball : balls) ball = appearance(scene, ball);
    errors.add(frame.spots, balls);
    for (const Detection& spot : frame.spots)
      CHECK(spot.time == Approx(static_cast<double>(frame.number) / 50 + 8e-5 * spot.y));
  }
  CHECK(errors.found() == 1);
  CHECK(errors.bias().norm() < 0.03);
  REQUIRE(place.run("track film.mkv --out region.csv --region 80,0,40,40").status == 0);
  for (const DetectionFrame& frame : read_detections((place / "region.csv").string()).frames)
    for (const Detection& spot : frame.spots) CHECK((spot.x > 79 && spot.y < 40));
  REQUIRE(place.run("track film.mkv --out median.csv --background median").status == 0);
  Index still = 0;
  for (const DetectionFrame& frame : read_detections((place / "median.csv").string()).frames)
    for (const Detection& spot : frame.spots) still += std::hypot(spot.x - 100, spot.y - 20) < 2;
  CHECK(still <= 2);  // what never moves is background
}

TEST_CASE("track: pixels that are not square are said", "[app][film]") {
  require_films();
  const Workplace place;
  write_film(place, "square.mkv", small_scene());
  const std::string command =
      "cd '" + (place / "").string() + "' && ffmpeg -v error -i square.mkv -vf setsar=4/3 -c:v ffv1 wide.mkv";
  REQUIRE(std::system(command.c_str()) == 0);
  const Outcome square = place.run("track square.mkv --out square.csv"),
                wide = place.run("track wide.mkv --out wide.csv");
  CHECK(!says(square.out, "times as wide as high"));
  CHECK(says(wide.out, "a pixel is 1.333 times as wide as high"));
  CHECK(read_text(place / "wide.csv") == read_text(place / "square.csv"));
}

TEST_CASE("track: what is wrong is said before anything is written", "[app][film][error]") {
  require_films();
  const Workplace place;
  write_film(place, "film.mkv", small_scene());
  place.write("text.mp4", "no film\n");
  const auto complaint = [&](const std::string& arguments, const std::string& before = "") {
    const Outcome outcome = place.run("track " + arguments, before);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(says(complaint("missing.mkv"), "nothing of this name"));
  CHECK(says(complaint("text.mp4"), "must be a film that ffmpeg reads"));
  CHECK(says(complaint("film.mkv --region 100,0,40,40"), "must lie within the 120 x 96 pixels"));
  CHECK(says(complaint("film.mkv --sizes 5,2"), "the smallest below the largest"));
  CHECK(says(complaint("film.mkv --preview film.gif"), "must be a file .mp4 or a folder"));
  CHECK(says(complaint("film.mkv --still 0,0,10,10"), "none that stands still"));
  CHECK(says(complaint("film.mkv --background median --region 500,0,40,40"), "must lie within the 120 x 96 pixels"));
  CHECK(says(complaint("film.mkv --region 9223372036854775807,0,40,40"), "must lie within the 120 x 96 pixels"));
  place.write("frames/0001.png", "not looked at\n");
  CHECK(says(complaint("frames/%04d.png"), "images have no time stamps"));
  CHECK(says(complaint("film.mkv --preview frames"), "must be a new folder"));
  // Nothing is overwritten unasked, the film never.
  place.write("there.mp4", "a film of others");
  CHECK(says(complaint("film.mkv --preview there.mp4"), "must not exist yet"));
  CHECK(read_text(place / "there.mp4") == "a film of others");
  std::filesystem::copy_file(place / "film.mkv", place / "own.mp4");
  const std::string film = read_text(place / "own.mp4");
  for (const std::string to : {"--preview own.mp4", "--preview ./own.mp4 --overwrite", "--out own.mp4 --overwrite"}) {
    CHECK(says(complaint("own.mp4 " + to), "must be another file than the one that is read"));
    CHECK(read_text(place / "own.mp4") == film);
  }
  CHECK(says(complaint("film.mkv --preview nowhere/marked.mp4"), "check that its folder exists"));
  CHECK(says(complaint("film.mkv", "PATH=/nowhere"), "apt install ffmpeg"));
  CHECK_FALSE(fs::exists(place / "detections.csv"));
}

TEST_CASE("track: without OpenCV the command says what to install", "[app][film][error]") {
  if (has_picture_filter()) return;  // a program built with it finds spots, as above
  const Workplace place;
  const Outcome outcome = place.run("track film.mkv");
  CHECK(outcome.status == 2);
  CHECK(says(outcome.err, "libopencv-imgproc-dev"));
}
