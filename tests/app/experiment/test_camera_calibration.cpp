#include "app/experiment/recording/measurement_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/core/error.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using pithball::InvalidArgument;
using pithball::app::read_camera_calibration;
using pithball::optim::CameraCalibration;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::Workplace;

namespace {

/// A calibration as ROS writes it, with further lines.
std::string ros_calibration(const std::string& lines, const std::string& coefficients = "[0.08, 0.01, -0.02, 0.005]") {
  const auto count = 1 + std::ranges::count(coefficients, ',');
  return "image_width: 1280\nimage_height: 720\ncamera_name: front\n"
         "camera_matrix: {rows: 3, cols: 3, data: [600.0, 0, 640.0, 0, 660.0, 360.0, 0, 0, 1]}\n" +
         lines + "\ndistortion_coefficients: {rows: 1, cols: " + std::to_string(count) + ", data: " + coefficients +
         "}\n";
}

std::string kalibr_camchain(const std::string& model, const std::string& lens = "pinhole") {
  return "cam0:\n  cam_overlaps: []\n  camera_model: " + lens +
         "\n  distortion_coeffs: [0.0885, -0.226, -0.00015, 0.00057]\n  distortion_model: " + model +
         "\n  intrinsics: [800, 808, 637.5, 385.25]\n  resolution: [1280, 720]\n  rostopic: /image\n";
}

std::string calibration_complaint(const Workplace& place, const std::string& text,
                                  const std::string& name = "lens.yaml") {
  place.write(name, text);
  try {
    read_camera_calibration((place / name).string());
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("camera_calibration: the models of five coefficients are read under each of their names",
          "[app][measurement][calibration]") {
  const Workplace place;
  for (const char* model : {"plumb_bob", "radtan", "Plumb Bob", "radial-tangential", "Brown-Conrady"}) {
    place.write("lens.yaml", ros_calibration(fmt::format("distortion_model: {}", model)));
    const CameraCalibration lens = read_camera_calibration((place / "lens.yaml").string());
    CHECK(lens.distortion.k1 == 0.08);
    CHECK(lens.distortion.p2 == 0.005);
    CHECK(lens.distortion.k3 == 0);
    CHECK(lens.aspect == Approx(1.1));
  }
  CHECK(calibration_complaint(place, ros_calibration("")).empty());
  CHECK(calibration_complaint(place, ros_calibration("fisheye_model: 0")).empty());  // OpenCV's sample program
  CHECK(calibration_complaint(place, ros_calibration("", "[0.1, 0.2, 0.3, 0.4, 0.5, 0, 0, 0]")).empty());
}

TEST_CASE("camera_calibration: every other lens model is refused by its name",
          "[app][measurement][calibration][error]") {
  const Workplace place;
  const std::string ours = "must be plumb_bob or radtan (k1, k2, p1, p2, k3) or none, got ";
  for (const char* model : {"equidistant", "rational_polynomial", "fov", "kannala_brandt", "inverse_brown_conrady",
                            "division", "thin_prism", "double_sphere"}) {
    for (const char* key : {"distortion_model", "model_type", "lens_model", "distortion_type"}) {
      const std::string message = calibration_complaint(place, ros_calibration(fmt::format("{}: {}", key, model)));
      CAPTURE(message);
      CHECK(says(message, fmt::format("lens.yaml:5:{} {}: {}'{}'", std::string(key).size() + 3, key, ours, model)));
    }
    CHECK(says(calibration_complaint(place, kalibr_camchain(model)),
               fmt::format("cam0.distortion_model: {}'{}'", ours, model)));
  }
  CHECK(says(calibration_complaint(place, kalibr_camchain("equi")), ours + "'equi'"));
  CHECK(says(calibration_complaint(place, kalibr_camchain("radtan", "omni")), "cam0.camera_model: " + ours + "'omni'"));
  CHECK(
      says(calibration_complaint(place, ros_calibration("fisheye_model: 1")), "fisheye_model: " + ours + "a fisheye"));
  CHECK(says(calibration_complaint(place, ros_calibration("", "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 0]")),
             "got 0.6 of the rational model"));
  CHECK(says(calibration_complaint(place, ros_calibration("", "[0.1, 0, 0, 0, 0, 0, 0, 0, 0.2, 0, 0, 0]")),
             "got 0.2 of the thin-prism model"));
  CHECK(says(calibration_complaint(place, ros_calibration("", "[0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3]")),
             "got 0.3 of the tilted"));
}

TEST_CASE("camera_calibration: the camera of a camchain of Kalibr", "[app][measurement][calibration]") {
  const Workplace place;
  place.write("lens.yaml", kalibr_camchain("radtan"));
  const CameraCalibration lens = read_camera_calibration((place / "lens.yaml").string());
  CHECK(lens.focal_length == 800.0);
  CHECK(lens.aspect == Approx(1.01));
  CHECK(lens.principal_point == std::array{637.5, 385.25});
  CHECK(lens.image_size == std::array{1280.0, 720.0});
  CHECK(lens.distortion.k2 == -0.226);
  CHECK(lens.distortion.p1 == -0.00015);
  place.write("lens.yaml", kalibr_camchain("none"));
  CHECK(read_camera_calibration((place / "lens.yaml").string()).distortion.k1 == 0);
  std::string second = kalibr_camchain("radtan");
  second.replace(0, 4, "cam1");
  CHECK(says(calibration_complaint(place, kalibr_camchain("radtan") + second),
             "cam1: must be omitted: a recording has one camera"));
  std::string short_one = kalibr_camchain("radtan");
  short_one.replace(short_one.find("800, "), 5, "");
  CHECK(says(calibration_complaint(place, short_one), "cam0.intrinsics: must have 4 numbers, got 3"));
}

TEST_CASE("camera_calibration: a calibration in JSON is YAML, files of other formats are named",
          "[app][measurement][calibration][error]") {
  const Workplace place;
  place.write("lens.json",
              R"({"image_width": 640, "image_height": 480, "camera_matrix": {"type_id": "opencv-matrix", "rows": 3,
    "cols": 3, "dt": "d", "data": [500.0, 0, 320, 0, 500, 240, 0, 0, 1]},
    "distortion_coefficients": {"type_id": "opencv-matrix", "rows": 1, "cols": 5, "dt": "d",
    "data": [0.1, 0, 0, 0, 0.2]}})");
  CHECK(read_camera_calibration((place / "lens.json").string()).distortion.k3 == 0.2);
  const std::string required = "calibration file: must be YAML as of OpenCV, ROS or Kalibr, got ";
  CHECK(says(calibration_complaint(place, "<?xml version=\"1.0\"?>\n<opencv_storage>\n</opencv_storage>\n", "lens.xml"),
             required + "a file of OpenCV (XML); write it with OpenCV's FileStorage under a name that ends in .yml"));
  CHECK(says(calibration_complaint(place, "<calibration><f>1</f></calibration>\n", "lens.xml"),
             required + "an XML file; write it"));
  CHECK(says(calibration_complaint(place, "MATLAB 5.0 MAT-file Platform: posix", "lens.mat"),
             required + "a MATLAB file"));
  for (const char* key : {"dist_coeffs", "dist_coeff", "distCoeffs", "D"}) {  // never passed over
    std::string text = ros_calibration("");
    text.replace(text.find("distortion_coefficients"), 23, key);
    place.write("lens.yaml", text);
    CHECK(read_camera_calibration((place / "lens.yaml").string()).distortion.k1 == 0.08);
  }
}

TEST_CASE("camera_calibration: sizes of matrices and focal lengths that cannot be are refused",
          "[app][measurement][calibration][error]") {
  const Workplace place;
  const std::string good = ros_calibration("");
  const auto complaint = [&](const std::string& what, const std::string& by) {
    return calibration_complaint(place, replaced(good, what, by));
  };
  CHECK(
      says(complaint("rows: 3", "rows: 1000000000"), "must have 1000000000 x 3 numbers, as rows and cols say, got 9"));
  CHECK(says(complaint("rows: 3", "rows: 4294967299"), "as rows and cols say, got 9"));
  CHECK(says(complaint("rows: 3", "rows: -3"), "must be >= 1"));
  CHECK(says(complaint("cols: 4", "cols: 5"), "must have 1 x 5 numbers, as rows and cols say, got 4"));
  CHECK(says(complaint("600.0", "1e300"), "must have a focal length of at most 1e+06 image widths"));
}
