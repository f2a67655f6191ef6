#pragma once
#include <string>
#include <utility>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// What the file of a recording says of the identities of its points.
enum class KnownIdentities {
  Known,    ///< each column, or name, is one particle
  Partly,   ///< likewise, but names may be exchanged in some frames
  Unknown,  ///< nothing: the order of the points has no meaning
};

/// All of them, in the order of the key `identities`.
inline constexpr KnownIdentities known_identities[] = {KnownIdentities::Known, KnownIdentities::Partly,
                                                       KnownIdentities::Unknown};

/// "known", "partly", "unknown": the words in experiment files.
std::string to_string(KnownIdentities identities);

/// The D points that were found in one frame.
struct FrameDetections {
  Points places;              ///< 3×D, in the unit of the measurement kind; components that it does not have are NaN
  Points variances;           ///< 3×D, of each component, in its square; empty: those of the recording's noise
  Vector covariances;         ///< D, of the first two components that are found; empty: 0
  std::vector<Index> number;  ///< D: number of the point in the file's frame, from 0
  std::vector<Index> named;   ///< D: the marker whose name it has; empty: points have no names

  /// Number of points, D.
  Index size() const { return places.cols(); }
};

/// Detections of a recording whose identities are to be found, and how they are joined without the model.
struct Detections {
  KnownIdentities identities = KnownIdentities::Known;  ///< what the file says of them
  std::vector<FrameDetections> frames;                  ///< F; empty: identities are known
  /// F×M: the detection of each marker in the order of the file (`Partly`) or of tracks that were linked without the
  /// model (`Unknown`, linked_tracks.hpp); −1: none.
  std::vector<std::vector<Index>> linked;
  /// Pairs of markers that may be exchanged in all frames, as far as the first frame can tell.
  std::vector<std::pair<Index, Index>> open;

  /// Whether there is anything to find.
  bool are_open() const { return identities != KnownIdentities::Known; }
};

/// The components (0, 1, 2) that any detection has.
std::vector<int> found_components(const std::vector<FrameDetections>& frames);

/// The positions of M markers by their detections, F arrays 3×M; NaN: none.
std::vector<Points> positions_of(const std::vector<FrameDetections>& frames,
                                 const std::vector<std::vector<Index>>& detection);

}  // namespace pithball::optim
