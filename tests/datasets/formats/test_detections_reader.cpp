// Tables of detections: several rows of a frame, without names, with covariances.

#include <cmath>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/detections_reader.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

const std::string spots_header =
    "frame,time [s],x [px],y [px],variance_x [px^2],covariance_xy [px^2],variance_y [px^2],size [px],brightness,snr\n";
const std::string rows =
    "3,0.1,10,20,0.04,0.01,0.09,2,500,30\n"
    "5,0.2,11,21,0.01,0,0.01,2,500,30\n"
    "3,0.1,40,22,0.01,0,0.02,2,500,30\n";

Capture read(const TemporaryFolder& folder, const std::string& text, CaptureSpec spec = {}) {
  spec.file = folder.write("d.csv", text);
  spec.components = {"u", "v"};
  spec.quantity = Quantity::Pixel;
  if (!spec.frame_of_reference.scale) spec.frame_of_reference.scale = 1;
  return read_capture(spec);
}

}  // namespace

TEST_CASE("detections: rows of a frame are its points, by y", "[datasets][capture]") {
  const TemporaryFolder folder;
  CHECK(find_capture_format(folder.write("d.csv", spots_header + rows)).name == "detections");
  const Capture capture = read(folder, spots_header + rows);
  CHECK(capture.spots.are_unnamed);
  CHECK(capture.time.isApprox(Eigen::Vector2d(0.1, 0.2)));
  CHECK(capture.frame_numbers == std::vector<Index>{3, 5});
  REQUIRE(capture.markers.size() == 2);
  CHECK(capture.positions[0].topRows(2).isApprox((Eigen::Matrix2d() << 10, 40, 20, 22).finished()));
  CHECK(capture.present[1] == std::vector<bool>{true, false});
  CHECK(capture.spots.variances[0](0, 0) == Approx(0.04));
  CHECK(capture.spots.variances[0](1, 1) == Approx(0.02));
  CHECK(capture.spots.covariances[0][0] == Approx(0.01));
}

TEST_CASE("detections: scale and axes turn covariances, frames choose them", "[datasets][capture]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.file = folder.write("d.csv", spots_header + rows);
  spec.frame_of_reference = {1e-3, {"x", "z", "-y"}};
  spec.subset.skip_last = 1;
  const Capture capture = read_capture(spec);
  REQUIRE(capture.frames() == 1);
  REQUIRE(capture.spots.variances.size() == 1);
  CHECK(capture.positions[0](0, 0) == Approx(0.01));
  CHECK(capture.positions[0](2, 0) == Approx(-0.02));
  CHECK(capture.spots.variances[0](0, 0) == Approx(0.04e-6));
  CHECK(capture.spots.variances[0](2, 0) == Approx(0.09e-6));
  CHECK(capture.spots.covariances[0][0] == Approx(-0.01e-6));  // of x and z
}

TEST_CASE("detections: points without names cannot be selected by name", "[datasets][capture][error]") {
  const TemporaryFolder folder;
  CaptureSpec spec;
  spec.select = {"2"};
  CHECK(complaint_of([&] {
          read(folder, spots_header + rows, spec);
        }).find("select: must not be given for points without names, got '2'; join them to tracks with `links`") !=
        std::string::npos);
}

TEST_CASE("detections: what is wrong is named with its line", "[datasets][capture]") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& text) {
    CaptureSpec spec;
    spec.format = "detections";
    return complaint_of([&] { read(folder, text, spec); });
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has(complaint("frame,time,y\n0,0,2\n"), "x: must be a column"));
  CHECK(has(complaint(spots_header + "0.5,0,1,2,1,0,1,1,1,1\n"), "d.csv:2"));
  CHECK(has(complaint(spots_header + "0,0,1,2,-1,0,1,1,1,1\n"), "must be > 0"));
  CHECK(has(complaint(spots_header + "0,0,1,2,1,2,1,1,1,1\n"), "covariance smaller"));
  CHECK(complaint(spots_header + rows) == "");
}
