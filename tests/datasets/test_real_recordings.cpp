#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "datasets/capture/capture_difference.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "tests/support/recordings.hpp"

using namespace pithball::datasets;
using pithball::tests::recordings;
namespace sim = pithball::sim;

TEST_CASE("trunk_decay: segments, rest below the mount, repeated samples", "[datasets][capture][data]") {
  struct Load {
    std::string file;
    std::size_t segments;
    Index rows;
    std::array<Index, 3> repeated;  // samples of each body
  };
  for (const Load& load : {Load{"observations_manual_decay_200g.csv", 13, 5689, {3, 0, 1}},
                           Load{"observations_manual_decay_400g.csv", 21, 10376, {31, 5, 12}}}) {
    const std::string file = recordings("trunk_decay/" + load.file);
    const auto segments = list_segments(file, "ID");
    CHECK(segments.size() == load.segments);
    Index rows = 0;
    std::array<Index, 3> masked{};
    for (const auto& segment : segments) {
      CaptureSpec spec;
      spec.file = file;
      spec.rate = 100;
      spec.rows.segment = {{"ID", segment.value}};
      spec.frame_of_reference.axes = axes_with_up("y");
      spec.missing.repeated = RepeatedSamples::Mask;
      const Capture capture = read_capture(spec);
      CHECK(capture.frames() == segment.rows);
      CHECK(capture.markers == std::vector<std::string>{"1", "2", "3"});
      rows += capture.frames();
      for (const auto& present : capture.present)
        for (std::size_t m = 0; m < 3; ++m) masked[m] += !present[m];
      // Rest: tip near −0.322 m, top disc near −0.106 m.
      CHECK(capture.positions.back()(2, 2) == Approx(-0.322).margin(0.02));
      CHECK(capture.positions.back()(2, 0) == Approx(-0.106).margin(0.01));
    }
    CHECK(rows == load.rows);
    CHECK(masked == load.repeated);
  }
}

TEST_CASE("charged_drops: the table's own frame numbers, centimeters, rows dropped at the ends",
          "[datasets][capture][data]") {
  const std::string file = recordings("charged_drops/tracks/05696.csv");
  CaptureSpec spec;
  spec.file = file;
  spec.rate = 29.95;
  spec.columns.frame = "Slice";
  spec.columns.points = {{"XM", "YM"}};
  spec.frame_of_reference.scale = 0.01;
  spec.subset.skip_first = 1;
  spec.subset.skip_last = 7;
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 37);  // the published count of frames used
  // A quadratic through XM(t) has the published acceleration, 0.3545 cm/s², within 2 %.
  Eigen::MatrixXd powers(capture.frames(), 3);
  Eigen::VectorXd x(capture.frames());
  for (Index k = 0; k < capture.frames(); ++k) {
    powers.row(k) << 1, capture.time[k], capture.time[k] * capture.time[k];
    x[k] = capture.positions[k](0, 0);
  }
  const Eigen::Vector3d fit = (powers.transpose() * powers).inverse() * powers.transpose() * x;
  const double acceleration = 2 * fit[2];
  INFO("acceleration " << acceleration << " m/s^2");
  CHECK(std::min(std::abs(acceleration / 0.3545e-2 - 1), std::abs(fit[2] / 0.3545e-2 - 1)) < 0.02);
}

TEST_CASE("millikan_films: a drop that is linked through a film falls and rises as its radius and charge say",
          "[datasets][capture][data]") {
  CaptureSpec spec;
  spec.file = recordings("millikan_films/film_5.csv");
  spec.frame_of_reference.scale = 2.4143e-6;
  spec.frame_of_reference.axes = axes_with_up("-y");
  spec.rows.links.frame = 0;
  spec.rows.links.lasting = 800;
  spec.rows.links.travel = 6;
  const Capture capture = read_capture(spec);
  REQUIRE(capture.markers.size() == 4);  // as a second program links them
  CHECK(capture.frames() == 302);
  CHECK(capture.time[301] == Approx(30.1).epsilon(1e-12));
  CHECK(capture.positions[301].col(1)[0] == Approx(2.4143e-6 * 321.13).epsilon(1e-12));
  CHECK(capture.positions[301].col(1)[2] == Approx(-2.4143e-6 * 334.48).epsilon(1e-12));
  REQUIRE(capture.notes.size() == 1);
  CHECK(capture.notes[0] == "14 of 18 spots of frame 0 last less than 800 frames and are left out");
  // The second drop falls by 6π η v r/(1 + A/r) = 4/3 π r³ ρ g and rises by q E: radius and charge of charges.csv.
  Eigen::MatrixXd course(302, 3);
  Eigen::VectorXd z(302);
  for (Index k = 0; k < 302; ++k) {
    const double t = capture.time[k];
    course.row(k) << 1, t, std::clamp(t - 6.954, 0.0, 3.5) + std::clamp(t - 19.292, 0.0, 3.651);
    z[k] = capture.positions[k](2, 1);
  }
  const Eigen::Vector3d fit = (course.transpose() * course).inverse() * course.transpose() * z;
  const double eta = 1.818e-5, slip = 77.7e-9, density = 861 - 1.2, g = 9.80665;
  double r = 1e-6;
  for (int round = 0; round < 50; ++round) r = std::sqrt(-fit[1] * 9 * eta / (2 * density * g * (1 + slip / r)));
  const double charge = 6 * M_PI * eta * r / (1 + slip / r) * fit[2] / (500 / 4.902e-3);
  CHECK(r == Approx(928e-9).epsilon(0.02));  // least squares knows nothing of Brownian motion: three errors of the file
  CHECK(charge == Approx(0.9777e-18).epsilon(0.035));
}

TEST_CASE("ion_trap_pair: tables without header", "[datasets][capture][data]") {
  const std::string file = recordings("ion_trap_pair/NewSplitData1.txt");
  CaptureSpec spec;
  spec.file = file;
  spec.rows.header_line = 0;
  spec.rate = 20;
  spec.columns.frame = "#1";
  spec.columns.points = {{"#2"}};
  spec.frame_of_reference.scale = 0.07545e-3;
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 121);
  CHECK(capture.time[120] == 6);
  CHECK(std::abs(capture.positions.back()(0, 0)) == Approx(0.0228).epsilon(0.1));

  spec.file = recordings("ion_trap_pair/COMSOLSplit1.txt");
  spec.columns.frame.clear();
  CHECK(read_capture(spec).frames() == 2956);
}

TEST_CASE("eulers_pendulum: rows that lack their last separator, lost points and all", "[datasets][capture][data]") {
  std::size_t tracks = 0;
  for (const auto& entry : std::filesystem::directory_iterator(recordings("eulers_pendulum"))) {
    if (!entry.path().filename().string().starts_with("d_")) continue;
    CAPTURE(entry.path().filename());
    CaptureSpec spec;
    spec.file = entry.path().string();
    spec.frame_of_reference.scale = 0.1975e-3;
    const Capture capture = read_capture(spec);
    ++tracks;
    CHECK(capture.markers.size() == 1);
    CHECK(capture.frames() > 900);
    CHECK(capture.time[1] - capture.time[0] == Approx(1 / 239.76).epsilon(1e-3));
    for (const auto& frame : capture.positions)
      CHECK(!(frame.topRows(2).cwiseAbs().maxCoeff() > 0.12));  // the longest magnet
  }
  CHECK(tracks == 10);
}

TEST_CASE("pendulum_encoder: four segments with their own clock", "[datasets][capture][data]") {
  const std::string file = recordings("pendulum_encoder/single_pendulum_identification_100hz.csv");
  for (const auto& segment : list_segments(file, "segment")) {
    CaptureSpec spec;
    spec.quantity = Quantity::Angle;
    spec.file = file;
    spec.columns.time = "t_s";
    spec.columns.points = {{"phi_rad", "phidot_rad_s"}};
    spec.rows.segment = {{"segment", segment.value}};
    const Capture capture = read_capture(spec);
    CHECK(capture.frames() == 917);
    CHECK(capture.time[1] - capture.time[0] == Approx(0.01));
  }
}

TEST_CASE("double_pendulum_ibm: image coordinates, arms of constant length", "[datasets][capture][data]") {
  const std::string file = recordings("double_pendulum_ibm/0.csv");
  CaptureSpec spec;
  spec.file = file;
  spec.rows.header_line = 0;
  spec.rate = 400;
  spec.columns.points = {{"#1", "#2"}, {"#3", "#4"}, {"#5", "#6"}};
  spec.frame_of_reference = {1e-3 / 6.617, axes_with_up("-y")};
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 17782);
  double sum = 0;
  for (const auto& x : capture.positions) sum += (x.col(1) - x.col(0)).norm();
  CHECK(sum / 17782 == Approx(0.091).epsilon(1e-3));
}

TEST_CASE("mocap_formats: the vendor's CSV misses 305 samples", "[datasets][capture][data]") {
  const std::string file = recordings("mocap_formats/markers.csv");
  CaptureSpec spec;
  spec.file = file;
  spec.rows.header_line = 4;
  spec.rows.first_data_line = 6;
  spec.rate = 100;
  spec.columns.frame = "Frame";
  for (int m = 0; m < 51; ++m) {
    const auto column = [m](int a) { return std::string("#").append(std::to_string(3 + 3 * m + a)); };
    spec.columns.points.push_back({column(0), column(1), column(2)});
  }
  spec.frame_of_reference.scale = 1e-3;
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 580);
  Index missing = 0;
  for (const auto& frame : capture.present)
    for (const bool present : frame) missing += !present;
  CHECK(missing == 305);
}

TEST_CASE("tshirt_obj_sequence: 26 frames with the connectivity of the mesh", "[datasets][capture][data]") {
  const std::string folder = recordings("tshirt_obj_sequence");
  ObjFramesSpec spec;
  spec.folder = folder;
  spec.rate = 90;
  spec.number_from_name = true;
  spec.subset.every = 5;
  const Capture capture = read_obj_frames(spec);
  REQUIRE(capture.frames() == 6);
  CHECK(capture.time[5] == Approx(250 / 90.0));
  CHECK(capture.markers.size() == 1426);
}

TEST_CASE("mocap_formats: C3D and CSV of one trial are the same numbers, to the digits of the CSV",
          "[datasets][capture][data]") {
  CaptureSpec spec;
  spec.file = recordings("mocap_formats/markers_analogs.c3d");
  const Capture c3d = read_capture(spec);
  spec.file = recordings("mocap_formats/markers.csv");
  const Capture csv = read_capture(spec);
  REQUIRE(c3d.frames() == 580);
  CHECK(c3d.time == csv.time);
  CHECK(c3d.markers == csv.markers);
  CHECK(c3d.present == csv.present);
  Index missing = 0;
  double worst = 0, largest = 0;
  for (std::size_t f = 0; f < c3d.positions.size(); ++f)
    for (std::size_t m = 0; m < c3d.markers.size(); ++m) {
      missing += !c3d.present[f][m];
      for (Index a = 0; a < 3 && c3d.present[f][m]; ++a) {
        const double exact = c3d.positions[f](a, m), printed = csv.positions[f](a, m);
        // In mm: half a unit of the CSV's sixth digit, and two units of the C3D's last of 24 bits. The vendor's program
        // made both from one number, with arithmetic in single precision in between that leaves 11 of the 87825
        // coordinates more than one such unit off, the worst 1.94 (511.73944091796875 beside 511.74).
        const double value = std::abs(1e3 * printed);
        const double tolerance =
            0.5 * std::pow(10, std::floor(std::log10(value)) - 5) + 2 * std::ldexp(1, std::ilogb(value) - 23);
        worst = std::max(worst, 1e3 * std::abs(exact - printed) / tolerance);
        largest = std::max(largest, std::abs(exact - printed));
      }
    }
  CHECK(missing == 305);
  const CaptureDifference difference = compare_captures(c3d, csv);
  CHECK(difference.largest == largest);
  CHECK(difference.missing_in_both == 305);
  CHECK(difference.missing_in_one == 0);
  CHECK(worst > 0.9);  // some are rounded by nearly that much
  CHECK(worst <= 1 + 1e-6);
  CHECK(largest <= 5e-6);  // half of the sixth digit of coordinates beyond 1 m
}

TEST_CASE("mocap_formats: the TRC holds 93 frames whatever its header says", "[datasets][capture][data]") {
  CaptureSpec spec;
  spec.file = recordings("mocap_formats/markers.trc");
  const Capture capture = read_capture(spec);
  CHECK(capture.frames() == 93);
  CHECK(capture.markers.size() == 51);
  CHECK(capture.time[92] == Approx(0.92));
  CHECK(capture.positions[1].col(0).isApprox(1e-3 * sim::Vec3(733.4084, 81.0119, 191.8306)));
}
