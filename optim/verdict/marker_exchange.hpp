#pragma once
#include <optional>

#include "optim/observation/marker_tracks.hpp"

namespace pithball::optim {

/// Two markers of a recording whose names were exchanged from one frame to another, as the model says.
struct MarkerExchange {
  Index one = 0,    ///< the first of them
      other = 0;    ///< the second
  double from = 0,  ///< simulated time [s] of the first frame
      to = 0;       ///< of the last one
  double part = 0;  ///< part of the squared misfit of the recording that is gone if their names are exchanged back
};

/// The exchange that lowers the squared distance of the fitted samples of a recording from its model most, without a
/// refit. Of each two markers, the frames in which both are recorded are those in a row that gain most; of many markers
/// only those that are farthest away are compared. Empty: none explains most of the misfit (`most_of_misfit`), or the
/// two would still have most of theirs in those frames. `find_track_swaps` sees exchanges without a model, but not
/// those of markers that are as near as the noise lets them jump.
std::optional<MarkerExchange> find_marker_exchange(const MarkerTracks& tracks);

}  // namespace pithball::optim
