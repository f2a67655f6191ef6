#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/spec/marker_attachment.hpp"
#include "app/spec/measurement_spec.hpp"

namespace pithball::app {

/// The recorded channels of an item of `fit.recordings`, and the body that their markers follow.
struct RecordedChannels {
  const std::vector<std::string>& names;  ///< in the order of the columns
  const optim::MeasurementKind& kind;     ///< of all of them
  const Body& body;                       ///< whose particles and groups the markers name
  double file_unit = 1;                   ///< one unit of the file in that of the kind
};

/// The standard deviations that a recording states.
struct WrittenSigma {
  double value = 0;    ///< in the unit of the kind; NaN: none is written
  Points factor = {};  ///< of each component relative to it, 3×M; empty: 1
};

/// Reads `sigma` of a recording: one number, or one for each component; `fallback` without it.
WrittenSigma read_sigma(Node& recording_node, const RecordedChannels& channels, std::optional<double> fallback);

/// What the recorded channels are attached to.
struct MarkerList {
  std::vector<optim::Marker> markers = {};  ///< empty for kinds that do not follow `markers:`
  Vector sigma = {};                        ///< of each channel, M
  std::vector<bool> validation = {};        ///< those with `role: validation`; empty: none
  WantedAttachments attached = {};          ///< by channel

  /// Whether any marker is to find its own place.
  bool attaches() const;
};

/// Reads `markers:` of a recording. `sigma`: of markers without one of their own. Throws InvalidArgument if the number
/// of markers is not that of the channels, and where the kind does not follow markers.
MarkerList read_markers(Node& recording_node, const RecordedChannels& channels, double sigma);

}  // namespace pithball::app
