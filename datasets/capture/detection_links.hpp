#pragma once
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/film/detections.hpp"

namespace pithball::datasets {

/// A detection by its place in a list of detections.
struct SpotSight {
  std::size_t frame = 0,  ///< among `Detections::frames`
      spot = 0;           ///< among `DetectionFrame::spots`
};

/// The detections of one spot in successive frames.
using SpotTrack = std::vector<SpotSight>;

/// Spots that were joined by distance.
struct LinkedSpots {
  std::vector<SpotTrack> tracks;   ///< one for each spot of the first frame that lasts, in the order of that frame
  std::vector<std::string> notes;  ///< spots that are left out and tracks that were cut, a clause each
};

/// Joins the detections from the rule's frame on. In each frame a track is continued by the spot nearest to where its
/// mean velocity over the last few frames leads it, of those not farther from its last place than `travel` times the
/// frames since; the nearest pairs are joined first. A link is ambiguous if another arrangement of the same spots, with
/// one that is free or belongs to another track, has a sum of squared distances less than four times as large: the
/// tracks concerned are cut there. Throws InvalidArgument at `path` if the rule is none, its frame has no spot, or no
/// spot lasts.
LinkedSpots link_spots(const Detections& detections, const LinkRule& rule, const std::string& path);

}  // namespace pithball::datasets
