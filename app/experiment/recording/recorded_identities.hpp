#pragma once
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"

namespace pithball::app {

/// Reads `identities` of a recording: what its file says of which point is which particle. Throws InvalidArgument where
/// the kind of measurement has no places, a planned recording has no points, or a table of detections no names.
optim::KnownIdentities read_identities(Node& recording_node, const Recording& recording);

/// The names of the markers of a recording: those of its columns or, where points are in no order, the numbers of the
/// particles; one for each item of `markers`, if it is written.
std::vector<std::string> find_marker_names(const Node& recording_node, optim::KnownIdentities identities,
                                           const Recording& recording);

/// Takes the points of the recording as detections, and joins those in no order to tracks of its markers
/// (optim/identity/linked_tracks.hpp), which become the positions of its observation until a fit finds their
/// identities. Its markers, instrument and placement must be known. Throws InvalidArgument if no particle is near a
/// point of the first frame, and at keys that need names: attached markers, a registered placement, a rest.
void take_detections(Node& recording_node, optim::KnownIdentities identities, Recording& recording);

}  // namespace pithball::app
