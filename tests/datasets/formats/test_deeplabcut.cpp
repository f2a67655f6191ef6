#include <cmath>

#include "tests/datasets/formats/reading.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

const std::string pose_head =
    "scorer,net,net,net,net,net,net\n"
    "bodyparts,nose,nose,nose,tail,tail,tail\n"
    "coords,x,y,likelihood,x,y,likelihood\n";
const std::string pose_rows =
    "0,312.5,118.25,0.998,290.5,240.75,0.12\n"
    "1,313.5,118.75,0.6,291.5,241.75,0.9\n"
    "3,,,,292.5,242.75,0.59\n";

/// Fifty frames per second, a pixel is a millimeter.
CaptureSpec pixels() {
  CaptureSpec spec;
  spec.rate = 50;
  spec.frame_of_reference.scale = 1e-3;
  return spec;
}

}  // namespace

TEST_CASE("deeplabcut: samples below the likelihood are gaps, and are counted in a note", "[datasets][deeplabcut]") {
  Reading reading{"pose.csv", pixels()};
  const Capture capture = reading.read(pose_head + pose_rows);
  CHECK(find_capture_format(reading.spec.file).name == "deeplabcut");
  CHECK(capture.markers == std::vector<std::string>{"nose", "tail"});
  CHECK(capture.time.isApprox(Eigen::Vector3d(0, 0.02, 0.06)));
  CHECK(capture.present[0] == std::vector<bool>{true, false});
  CHECK(capture.present[1] == std::vector<bool>{true, true});
  CHECK(capture.positions[0].col(0).head(2).isApprox(Eigen::Vector2d(0.3125, 0.11825)));
  CHECK(std::isnan(capture.positions[0](2, 0)));
  REQUIRE(capture.notes.size() == 1);
  CHECK(capture.notes[0] == "2 of 5 samples have a likelihood below 0.6 and are missing: `min_likelihood`");
  reading.spec.missing.min_likelihood = 0;
  CHECK(reading.read(pose_head + pose_rows).notes.empty());
  CHECK(reading.read(pose_head + pose_rows).present[0] == std::vector<bool>{true, true});
}

TEST_CASE("deeplabcut: several animals, three coordinates, no likelihoods", "[datasets][deeplabcut]") {
  Reading reading{"pose.csv", pixels()};
  const Capture animals = reading.read(
      "scorer,net,net,net,net\nindividuals,a,a,b,b\nbodyparts,nose,nose,nose,nose\ncoords,x,y,x,y\n0,1,2,3,4\n");
  CHECK(animals.markers == std::vector<std::string>{"a:nose", "b:nose"});
  CHECK(animals.positions[0](1, 1) == Approx(4e-3));
  const Capture deep = reading.read("scorer,net,net,net\nbodyparts,nose,nose,nose\ncoords,x,y,z\n0,1,2,3\n");
  CHECK(deep.positions[0](2, 0) == Approx(3e-3));
}

TEST_CASE("deeplabcut: what is wrong is rejected with its place", "[datasets][deeplabcut][error]") {
  Reading reading{"pose.csv", pixels()};
  std::string wrong = pose_head + pose_rows;
  wrong.replace(wrong.find("0.12"), 4, "1.12");
  says(reading.complaint(wrong), "pose.csv:4 cell 7 likelihood: must be between 0 and 1, got '1.12'");
  says(reading.complaint(pose_head + "0,1,2,0.9\n"), "pose.csv:4 row: must have 7 cells, got 4");
  says(reading.complaint(pose_head + "img1.png,1,2,0.9,3,4,0.9\n"), "pose.csv:4 cell 1");
  says(reading.complaint("scorer,net\nbodyparts,nose\nframe,x\n0,1\n"), "pose.csv:2 header");
  says(reading.complaint("scorer,n,n\nbodyparts,nose,nose\ncoords,x,x\n0,1,2\n"), "each once for a body part");
  says(reading.complaint("scorer,n,n\nbodyparts,nose\ncoords,x,y\n0,1,2\n"), "lines of equal length");
  says(reading.complaint("scorer,n\nbodyparts,nose\ncoords,x\n0,1\n"), "must be x and y");
  says(reading.complaint(pose_head), "must contain markers and frames");
  reading.spec.frame_of_reference.scale = {};
  says(reading.complaint(pose_head + pose_rows), "unit of length: must be known, got 'pixel'; give scale");
  reading.spec.frame_of_reference.scale = 1;
  reading.spec.rate = 0;
  says(reading.complaint(pose_head + pose_rows), "rate: must be known");
  reading.spec.missing.min_likelihood = 1.5;
  says(reading.complaint(pose_head + pose_rows), "min_likelihood: must be between 0 and 1, got 1.5");
}
