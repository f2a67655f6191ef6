#include "optim/identity/detections.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {

std::string to_string(KnownIdentities identities) {
  return identities == KnownIdentities::Known ? "known" : identities == KnownIdentities::Partly ? "partly" : "unknown";
}

std::vector<int> found_components(const std::vector<FrameDetections>& frames) {
  std::vector<int> components;
  for (int a = 0; a < 3; ++a)
    if (std::ranges::any_of(frames,
                            [&](const FrameDetections& frame) { return frame.places.row(a).array().isFinite().any(); }))
      components.push_back(a);
  return components;
}

std::vector<Points> positions_of(const std::vector<FrameDetections>& frames,
                                 const std::vector<std::vector<Index>>& detection) {
  std::vector<Points> positions;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const std::vector<Index>& of_marker = detection[f];
    Points& here = positions.emplace_back(Points::Constant(3, std::ssize(of_marker), NAN));
    for (std::size_t m = 0; m < of_marker.size(); ++m)
      if (of_marker[m] >= 0) here.col(static_cast<Index>(m)) = frames[f].places.col(of_marker[m]);
  }
  return positions;
}

}  // namespace pithball::optim
