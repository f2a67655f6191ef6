#include "experiments/bench/measurement_faults.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fstream>

namespace pithball::experiments {
namespace {

using datasets::Capture;
using sim::Points;
using sim::Vec3;

void delay(Capture& seen) { seen.time.array() += 5e-3; }

/// Without the first frame, which would precede the simulation.
void hasten(Capture& seen) {
  seen.time = (seen.time.tail(seen.time.size() - 1).array() - 5e-3).matrix().eval();
  seen.positions.erase(seen.positions.begin());
  if (!seen.present.empty()) seen.present.erase(seen.present.begin());
  if (!seen.frame_numbers.empty()) seen.frame_numbers.erase(seen.frame_numbers.begin());
}

void quicken(Capture& seen) { seen.time *= 1.005; }

void turn(Capture& seen) {
  const sim::Mat3 R = Eigen::AngleAxisd(std::acos(-1.0) / 180, Vec3::UnitY()).toRotationMatrix();
  for (Points& x : seen.positions) x = R * x;
}

void move(Capture& seen) {
  for (Points& x : seen.positions) x.colwise() += Vec3(2e-3, -2e-3, 2e-3);
}

void stretch(Capture& seen) {
  for (Points& x : seen.positions) x *= 1.01;
}

void let_drift(Capture& seen) {
  const double length = seen.time[seen.time.size() - 1] - seen.time[0];
  for (sim::Index f = 0; f < seen.frames(); ++f)
    seen.positions[f].colwise() += 6e-3 * ((seen.time[f] - seen.time[0]) / length - 0.5) * Vec3(1, 1, -1).normalized();
}

void move_one(Capture& seen) {
  for (Points& x : seen.positions) x.col(x.cols() / 2) += 6e-3 * Vec3(1, 1, -1).normalized();
}

/// Camera of the recordings: image [px], distance [m], and how much longer its focal length is than the file says.
constexpr double focal_length = 900, center_x = 640, center_y = 480, distance = 1.6, longer = 1.02;

}  // namespace

const std::vector<MeasurementFault>& measurement_faults() {
  static const std::vector<MeasurementFault> faults{
      {"clock late", "clock_offset", delay},
      {"clock early", "clock_offset", hasten},
      {"clock fast", "clock_scale", quicken},
      {"camera turned", "placement_rotation", turn},
      {"origin moved", "placement_translation", move},
      {"scale", "placement_scale", stretch},
      {"drift", "drift", let_drift},
      {"marker moved", "marker_offset", move_one},
      {"push", "start_velocity", nullptr, 0.03},
      {"focal length", "focal_length", nullptr, 0, true},
  };
  return faults;
}

const MeasurementFault* find_measurement_fault(const std::string& name) {
  const auto found = std::ranges::find(measurement_faults(), name, &MeasurementFault::name);
  return found == measurement_faults().end() ? nullptr : &*found;
}

void write_pixels(const Capture& capture, const std::filesystem::path& file) {
  std::ofstream out(file);
  out << "t";
  for (std::size_t m = 0; m < capture.markers.size(); ++m) out << fmt::format(",u{0},v{0}", m);
  out << "\n";
  for (sim::Index f = 0; f < capture.frames(); ++f) {
    out << fmt::format("{:.9g}", capture.time[f]);
    for (const auto& x : capture.positions[f].colwise()) {
      // The camera looks along y, with z upward.
      const double depth = x[1] + distance, f_true = longer * focal_length;
      out << fmt::format(",{:.9g},{:.9g}", center_x + f_true * x[0] / depth, center_y - f_true * x[2] / depth);
    }
    out << "\n";
  }
}

std::string camera_settings() {
  return fmt::format(
      "measurement: {{camera: {{focal_length: {} px, image_size: [{}, {}], principal_point: [{}, {}]}}}}, placement: "
      "{{x_axis: [1, 0, 0], y_axis: [0, 0, -1], translation: [0, {}, 0]}}",
      focal_length, 2 * center_x, 2 * center_y, center_x, center_y, -distance);
}

}  // namespace pithball::experiments
