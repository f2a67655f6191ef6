#include "datasets/capture/detections_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "datasets/capture/detection_links.hpp"
#include "datasets/capture/marker_file.hpp"
#include "datasets/text/unit_name.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

/// Whether every spot has a covariance.
bool have_covariances(const Detections& detections) {
  return std::ranges::all_of(detections.frames, [](const DetectionFrame& frame) {
    return std::ranges::all_of(frame.spots, [](const Detection& spot) { return spot.covariance.allFinite(); });
  });
}

/// The matrix from the file's axes to those of the recording, in the units of its positions.
sim::Mat3 axes_of(const CaptureSpec& spec, const Capture& capture) {
  CaptureFrame unscaled = spec.frame_of_reference;
  unscaled.scale = 1;
  const bool has_axes = spec.components.size() == 3;
  const sim::Mat3 axes = has_axes ? matrix_of(unscaled, spec.file) : sim::Mat3(sim::Mat3::Identity());
  return capture.file_scale.cwiseAbs().asDiagonal() * axes;
}

/// Adds the covariances of the spots, as those of the two axes of the recording that are seen.
void take_covariances(const Detections& detections, const CaptureSpec& spec, Capture& capture) {
  std::map<Index, const DetectionFrame*> by_number;
  for (const DetectionFrame& frame : detections.frames) by_number.emplace(frame.number, &frame);
  const sim::Mat3 A = axes_of(spec, capture);
  const auto most = static_cast<Index>(capture.markers.size());
  for (const Index number : capture.frame_numbers) {
    sim::Points& variances =
        capture.spots.variances.emplace_back(sim::Points::Constant(3, most, std::numeric_limits<double>::quiet_NaN()));
    Eigen::VectorXd& covariances = capture.spots.covariances.emplace_back(Eigen::VectorXd::Zero(most));
    const std::vector<Detection>& spots = by_number.at(number)->spots;
    Index k = 0;
    for (const Detection& spot : spots) {
      sim::Mat3 C = sim::Mat3::Zero();
      C.topLeftCorner<2, 2>() = spot.covariance;
      const sim::Mat3 turned = A * C * A.transpose();
      std::vector<Index> seen;  // other axes are not recorded
      for (Index a = 0; a < 3; ++a)
        if (turned(a, a) > 0) {
          variances(a, k) = turned(a, a);
          seen.push_back(a);
        }
      if (seen.size() == 2) covariances[k] = turned(seen[0], seen[1]);
      ++k;
    }
  }
}

/// The mean time of the spots of a frame [s]; to the last bit that of its spots where these are equal.
double mean_time(const DetectionFrame& frame) {
  double sum = 0;
  for (const Detection& spot : frame.spots) sum += spot.time - frame.spots.front().time;
  return frame.spots.front().time + sum / static_cast<double>(frame.spots.size());
}

/// A file of these frames of a table, without markers.
MarkerFile frames_of(const Detections& detections, std::size_t first, std::size_t end, const std::string& path) {
  MarkerFile file;
  file.path = path;
  file.recorded = {true, true, false};
  file.unit = find_length_unit(detections.unit);
  file.unit_name = detections.unit;
  double spread = 0;
  for (std::size_t f = first; f < end; ++f) {
    const DetectionFrame& frame = detections.frames[f];
    const auto [earliest, latest] = std::ranges::minmax(frame.spots, {}, &Detection::time);
    spread = std::max(spread, latest.time - earliest.time);
    file.frames.push_back(static_cast<double>(frame.number));
    file.time.push_back(mean_time(frame));
  }
  if (spread > 0)
    file.notes.push_back("rows of a frame were exposed up to " + to_text(spread) +
                         " s apart: frames are placed at the mean time of their spots");
  return file;
}

/// The tracks that the rule joins, each a marker "0", "1", ….
Capture read_linked(const Detections& detections, const CaptureSpec& spec) {
  LinkedSpots linked = link_spots(detections, spec.rows.links, spec.file);
  const std::size_t first = linked.tracks.front().front().frame;
  std::size_t last = first;
  for (const SpotTrack& track : linked.tracks) last = std::max(last, track.back().frame);
  check_samples(last + 1 - first, linked.tracks.size(), spec.file);
  MarkerFile file = frames_of(detections, first, last + 1, spec.file);
  file.notes.insert(file.notes.begin(), linked.notes.begin(), linked.notes.end());
  const auto M = static_cast<Index>(linked.tracks.size());
  file.positions.assign(last + 1 - first, sim::Points::Constant(3, M, std::numeric_limits<double>::quiet_NaN()));
  for (Index m = 0; m < M; ++m) {
    file.markers.push_back(std::to_string(m));
    for (const SpotSight& sight : linked.tracks[m]) {
      const Detection& spot = detections.frames[sight.frame].spots[sight.spot];
      file.positions[sight.frame - first].col(m).head(2) << spot.x, spot.y;
    }
  }
  return to_capture(file, spec);
}

}  // namespace

Capture read_detected_points(const CaptureSpec& spec) {
  const Detections detections =
      read_detections(spec.file, spec.rate > 0 ? std::optional<double>(spec.rate) : std::nullopt);
  if (spec.rows.links.travel > 0) return read_linked(detections, spec);
  if (!spec.select.empty())
    throw InvalidArgument({spec.file, "select", "must not be given for points without names",
                           "'" + spec.select.front() + "'", "join them to tracks with `links`, or leave it out"});
  std::size_t most = 0;
  for (const DetectionFrame& frame : detections.frames) most = std::max(most, frame.spots.size());
  check_samples(detections.frames.size(), most, spec.file);
  MarkerFile file = frames_of(detections, 0, detections.frames.size(), spec.file);
  for (std::size_t k = 0; k < most; ++k) file.markers.push_back(std::to_string(k + 1));
  for (const DetectionFrame& frame : detections.frames) {
    sim::Points& places = file.positions.emplace_back(
        sim::Points::Constant(3, static_cast<Index>(most), std::numeric_limits<double>::quiet_NaN()));
    Index k = 0;
    for (const Detection& spot : frame.spots) places.col(k++).head(2) << spot.x, spot.y;
  }
  Capture capture = to_capture(file, spec);
  capture.spots.are_unnamed = true;
  if (have_covariances(detections)) take_covariances(detections, spec, capture);
  return capture;
}

}  // namespace pithball::datasets
