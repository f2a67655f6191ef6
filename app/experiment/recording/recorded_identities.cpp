#include "app/experiment/recording/recorded_identities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "optim/identity/assignment_model.hpp"
#include "optim/identity/linked_tracks.hpp"

namespace pithball::app {
namespace {

using optim::KnownIdentities;

/// Returns the assumed coordinates of the markers, which are those of all points.
std::vector<std::array<bool, 3>> supposed_of_markers(const Node& node, const optim::Observation& seen) {
  if (seen.supposed.empty()) return {};
  for (const std::array<bool, 3>& one : seen.supposed)
    if (one != seen.supposed.front())
      node.reject("columns", "must give the same coordinates of all points as constants for `identities: unknown`",
                  "others", "write the same columns for each point");
  return std::vector<std::array<bool, 3>>(seen.markers.size(), seen.supposed.front());
}

/// Returns the points of all frames; those that are missing are left out.
std::vector<optim::FrameDetections> collect_detections(const optim::Observation& seen,
                                                       const datasets::DetectedSpots& spots, bool are_named) {
  std::vector<optim::FrameDetections> frames;
  for (std::size_t f = 0; f < seen.times.size(); ++f) {
    std::vector<Index> columns;
    for (Index k = 0; k < seen.positions[f].cols(); ++k)
      if (!seen.sight(f, k).array().isNaN().all()) columns.push_back(k);
    optim::FrameDetections& frame = frames.emplace_back();
    frame.places = seen.positions[f](Eigen::all, columns);
    frame.number = columns;
    if (are_named) frame.named = columns;
    if (spots.variances.empty()) continue;
    frame.variances = spots.variances[f](Eigen::all, columns);
    frame.covariances = spots.covariances[f](columns);
  }
  return frames;
}

/// Returns where the start of the recording's simulation has its markers in the first frame.
Points expected_places(const Recording& recording) {
  optim::Observation first = recording.observation;
  first.times.resize(1);
  first.positions.resize(1);
  first.frame_numbers.clear();
  first.frame_weight.clear();
  first.noise.sigma.setOnes(static_cast<Index>(first.markers.size()));
  return optim::predict_readings(recording.own.scenario, first, {}).places.front();
}

void reject_keys_of_names(const Node& node, const Recording& recording) {
  if (recording.free.placement.to_register)
    node.reject("placement", "must be given for `identities: unknown`", "register: true",
                "write rotation and translation, and `fit` beside them to refine them");
  if (recording.motion.rest.size() > 0)
    node.reject("rest_frames", "must be omitted for `identities: unknown`", "rest_frames",
                "write `reference: absolute`, and leave it out");
  for (const optim::Marker& marker : recording.observation.markers)
    if (marker.vertices.empty())
      node.reject("markers", "must give particles for `identities: unknown`", "markers that find their own",
                  "write `markers: [0, 1, …]`, or leave it out if every particle can be seen");
}

/// The median standard deviation of the detections; NaN without covariances.
double usual_sigma(const datasets::DetectedSpots& spots) {
  std::vector<double> all;
  for (const Points& frame : spots.variances)
    for (const double variance : frame.reshaped())
      if (std::isfinite(variance)) all.push_back(std::sqrt(variance));
  if (all.empty()) return NAN;
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

/// Sets the sigma of markers without one to that of the detections; a sigma that is written replaces their covariances.
void take_variances(optim::ReadingNoise& noise, datasets::DetectedSpots& spots) {
  const double usual = usual_sigma(spots);
  if (std::isnan(usual)) return;
  if (!noise.sigma.array().isNaN().all()) {
    spots.variances.clear();
    spots.covariances.clear();
    return;
  }
  noise.sigma.setConstant(usual);
  noise.origin = optim::SigmaOrigin::Written;
}

/// Gives linked samples the variances of their detections.
void take_sample_factors(const optim::Detections& detections, optim::Observation& seen) {
  for (std::size_t f = 0; f < detections.frames.size(); ++f) {
    const optim::FrameDetections& frame = detections.frames[f];
    Points& factor = seen.noise.sample_factor.emplace_back(Points::Ones(3, static_cast<Index>(seen.markers.size())));
    for (std::size_t m = 0; m < seen.markers.size(); ++m)
      if (const Index j = detections.linked[f][m]; j >= 0)
        for (Index a = 0; a < 3; ++a)
          if (std::isfinite(frame.variances(a, j)))
            factor(a, m) = std::sqrt(frame.variances(a, j)) / seen.noise.sigma[m];
  }
}

/// Takes names as they are written.
std::vector<std::vector<Index>> linked_by_names(const std::vector<optim::FrameDetections>& frames,
                                                std::size_t markers) {
  std::vector<std::vector<Index>> linked;
  for (const optim::FrameDetections& frame : frames) {
    std::vector<Index>& here = linked.emplace_back(markers, -1);
    for (Index j = 0; j < frame.size(); ++j) here[frame.named[j]] = j;
  }
  return linked;
}

}  // namespace

optim::KnownIdentities read_identities(Node& node, const Recording& recording) {
  std::vector<std::string> words;
  for (const KnownIdentities one : optim::known_identities) words.push_back(optim::to_string(one));
  const std::string word = node.choice("identities", words,
                                       "what the file says of which point is which particle: `known`: each column or "
                                       "name is one; `partly`: likewise, but "
                                       "names may be exchanged in some frames; `unknown`: nothing, the points of a "
                                       "frame are in no order, some are false "
                                       "and some are missing. A fit then finds them (docs/identities.md)",
                                       "known");
  const KnownIdentities identities = optim::known_identities[std::ranges::find(words, word) - words.begin()];
  if (recording.motion.capture.spots.are_unnamed && identities != KnownIdentities::Unknown)
    node.reject("identities", "must be unknown for a table of detections, which have no names", word,
                "write `identities: unknown`");
  if (identities == KnownIdentities::Known) return identities;
  if (recording.kind->geometry.registration == optim::Registration::None)
    node.reject("identities", "must be known for `measurement: " + recording.kind->name + "`", word,
                "its readings are not places");
  if (recording.planned) node.reject("identities", "must be known in a planned recording", word, "leave it out");
  return identities;
}

std::vector<std::string> find_marker_names(const Node& node, optim::KnownIdentities identities,
                                           const Recording& recording) {
  if (identities != KnownIdentities::Unknown) return recording.motion.capture.markers;
  Index count = recording.own.body.mesh.vertices.cols();
  if (node.is_list("markers")) count = std::ssize(node.form_tree("markers")->entries);
  std::vector<std::string> names;
  for (Index m = 0; m < count; ++m) names.push_back(std::to_string(m));
  return names;
}

void take_detections(Node& node, optim::KnownIdentities identities, Recording& recording) {
  if (identities == KnownIdentities::Known) return;
  reject_keys_of_names(node, recording);
  optim::Observation& seen = recording.observation;
  datasets::DetectedSpots& spots = recording.motion.capture.spots;
  const bool are_named = identities == KnownIdentities::Partly;
  take_variances(seen.noise, spots);
  optim::Detections& found = recording.motion.detections;
  found = {identities, collect_detections(seen, spots, are_named), {}, {}};
  if (are_named) {
    found.linked = linked_by_names(found.frames, seen.markers.size());
    return;
  }
  seen.supposed = supposed_of_markers(node, seen);
  const Points expected = expected_places(recording);
  optim::LinkedTracks tracks = optim::link_tracks(seen.times, found.frames, expected);
  if (std::ranges::all_of(tracks.detection.front(), [](Index j) { return j < 0; }))
    node.reject("identities", "unknown requires particles near the points of the first frame", "none",
                "correct the positions under `system`, the units or the `placement`, or begin at another frame");
  found.linked = std::move(tracks.detection);
  found.open = std::move(tracks.open);
  seen.positions = optim::positions_of(found.frames, found.linked);
  seen.present.clear();
  if (!spots.variances.empty()) take_sample_factors(found, seen);
}

}  // namespace pithball::app
