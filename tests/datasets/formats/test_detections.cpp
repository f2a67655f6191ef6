#include <cmath>

#include "datasets/capture/detection_links.hpp"
#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

const std::string detections_header =
    "frame,time [s],x [px],y [px],variance_x [px^2],covariance_xy [px^2],variance_y [px^2],size [px],brightness,snr\n";

/// A spot in a frame at 10 frames per second.
std::string spot(int frame, double x, double y) {
  return std::to_string(frame) + "," + std::to_string(frame / 10.0) + "," + std::to_string(x) + "," +
         std::to_string(y) + ",0.01,0,0.01,2,900,20\n";
}

/// How a film in pixels of 1 mm is read whose spots move by `travel` pixels at most.
CaptureSpec film_spec(double travel) {
  CaptureSpec spec;
  spec.frame_of_reference.scale = 1e-3;
  spec.rows.links.travel = travel;
  return spec;
}

/// Two spots that pass each other in x at 2 px a frame, 6 px apart in y, from frame `first` on.
std::string passing_spots(int first, int end, double apart) {
  std::string table = detections_header;
  for (int f = first; f < end; ++f) table += spot(f, 100 + 2 * f, 50) + spot(f, 140 - 2 * f, 50 + apart);
  return table;
}

}  // namespace

TEST_CASE("detections: spots of a frame are markers, in its order, with gaps, in the file's pixels",
          "[datasets][detections]") {
  Reading reading{"film.csv", film_spec(3)};
  const std::string text = detections_header + spot(4, 1, 1) + spot(7, 20, 10) + spot(7, 60, 20) + spot(8, 21, 12) +
                           spot(10, 60, 23) + spot(10, 22, 16) + spot(10, 200, 200);
  reading.spec.rows.links.frame = 7;
  const Capture capture = reading.read(text);
  CHECK(find_capture_format(reading.spec.file).name == "detections");
  CHECK(capture.markers == std::vector<std::string>{"0", "1"});
  CHECK(capture.frame_numbers == std::vector<Index>{7, 8, 10});
  CHECK(capture.time.isApprox(Eigen::Vector3d(0.7, 0.8, 1.0)));
  CHECK(capture.positions[2].col(0).head(2).isApprox(1e-3 * Eigen::Vector2d(22, 16)));
  CHECK(capture.positions[2].col(1).head(2).isApprox(1e-3 * Eigen::Vector2d(60, 23)));
  CHECK(std::isnan(capture.positions[0](2, 0)));
  CHECK(capture.present[1] == std::vector<bool>{true, false});
  CHECK(capture.notes.empty());
  reading.spec.rate = 100;
  CHECK(reading.read(text).time.isApprox(Eigen::Vector3d(0, 0.01, 0.03)));
}

TEST_CASE("detections: spots that do not last are left out, and said", "[datasets][detections]") {
  Reading reading{"film.csv", film_spec(3)};
  reading.spec.rows.links.lasting = 4;
  std::string text = detections_header;
  for (int f = 0; f < 6; ++f) text += (f < 4 ? spot(f, 10, 10) : "") + spot(f, 50, 20 + f);
  const Capture capture = reading.read(text);
  CHECK(capture.markers.size() == 1);
  CHECK(capture.positions[5](1, 0) == Approx(0.025));
  REQUIRE(capture.notes.size() == 1);
  says(capture.notes[0], "1 of 2 spots of frame 0 last less than 4 frames and are left out");
}

TEST_CASE("detections: a spot keeps its velocity where others pass, and is cut where two could continue it",
          "[datasets][detections]") {
  Reading reading{"film.csv", film_spec(8)};
  // At 3 px from each other, both are within reach, and 4 px away after a frame: the velocity tells them apart.
  Capture capture = reading.read(passing_spots(0, 30, 3));
  REQUIRE(capture.markers.size() == 2);
  CHECK(capture.notes.empty());
  CHECK(capture.positions[29](0, 0) == Approx(0.158));
  CHECK(capture.positions[29](0, 1) == Approx(0.082));
  // A spot that becomes two is neither of them.
  std::string splitting = detections_header;
  for (int f = 0; f < 20; ++f)
    splitting += (f < 6 ? spot(f, 100, 50) : spot(f, 99, 50) + spot(f, 101.1, 50)) + spot(f, 200, 90 + f);
  reading.spec.rows.links.lasting = 5;
  capture = reading.read(splitting);
  REQUIRE(capture.markers.size() == 2);
  CHECK(capture.present[5][0]);
  CHECK(!capture.present[6][0]);
  CHECK(capture.present[19][1]);
  REQUIRE(capture.notes.size() == 1);
  says(capture.notes[0], "tracks end where two spots could continue them: spot 0 in frame 6");
}

TEST_CASE("detections: the links do not depend on the order of a frame's rows", "[datasets][detections]") {
  const auto at = [](double x) { return Detection{.x = x}; };
  const Detections sorted{"px", {{0, {at(0), at(9)}}, {1, {at(1), at(8)}}, {2, {at(2), at(7)}}}};
  Detections mixed = sorted;
  std::swap(mixed.frames[1].spots[0], mixed.frames[1].spots[1]);
  LinkRule rule;
  rule.travel = 4;
  for (const Detections* one : {&sorted, static_cast<const Detections*>(&mixed)}) {
    const LinkedSpots linked = link_spots(*one, rule, "a");
    REQUIRE(linked.tracks.size() == 2);
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t f = 0; f < 3; ++f) {
        REQUIRE(linked.tracks[t].size() == 3);
        const SpotSight& sight = linked.tracks[t][f];
        CHECK(sight.frame == f);
        CHECK(one->frames[f].spots[sight.spot].x == sorted.frames[f].spots[t].x);
      }
  }
}

TEST_CASE("detections: what cannot be linked is rejected with a remedy", "[datasets][detections][error]") {
  Reading reading{"film.csv", film_spec(3)};
  const std::string text = passing_spots(5, 9, 30);
  reading.spec.rows.links.frame = 4;
  says(reading.complaint(text), "frame: must be a frame with a spot, got 4; frames with spots lie between 5 and 8");
  reading.spec.rows.links.frame.reset();
  reading.spec.rows.links.lasting = 9;
  says(reading.complaint(text), "lasting: must be reached by a spot of frame 5, got 9; of 2 the longest lasts 3");
  reading.spec.rows.links.lasting = 1;
  says(reading.complaint(detections_header + spot(4, 1, 1) + "5,0.5,,3,0.01,0,0.01,2,900,20\n"),
       "row: must have x, y and a time");
  says(reading.complaint(detections_header + "5.5,0.5,1,3,0.01,0,0.01,2,900,20\n"), "frame: must be a whole number");
  reading.spec.frame_of_reference.scale.reset();
  says(reading.complaint(text), "unit of length: must be known, got 'px'");
}
