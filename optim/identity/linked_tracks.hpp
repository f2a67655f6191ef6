#pragma once
#include <utility>
#include <vector>

#include "optim/identity/detections.hpp"

namespace pithball::optim {

/// Detections joined from frame to frame, without a model of the motion.
struct LinkedTracks {
  std::vector<std::vector<Index>> detection;  ///< F×M: detection of each marker; −1: none
  /// Pairs of markers whose exchange in the first frame is not excluded by the places where they are expected.
  std::vector<std::pair<Index, Index>> open;
};

/// Joins detections to tracks of M markers. In the first frame markers get the detections nearest to `expected`
/// (3×M, in the unit of the kind; NaN: not visible) by linear assignment. From there, each next place is extrapolated
/// from the last ones, and detections are assigned to these places, at most 5 times the usual error of the
/// extrapolation away, which itself is measured in a first pass. Extrapolation is by the last two places, or by three
/// where that is more accurate. A track that finds no detection for 10 frames ends.
///
/// Two markers i, k are open if their exchange in the first frame would change the sum of squared distances d² by less
/// than 9 times the mean of a marker: a displacement as large as those of all others would explain it. The
/// result does not depend on the order of the detections.
LinkedTracks link_tracks(const std::vector<double>& times, const std::vector<FrameDetections>& frames,
                         const Points& expected);

}  // namespace pithball::optim
