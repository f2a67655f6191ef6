#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/body.hpp"
#include "app/experiment/recording/measurement_spec.hpp"
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// How a marker is attached to the body automatically.
struct WantedAttachment {
  bool to_face = false;         ///< to the nearest point of a face instead of the nearest vertex
  std::optional<double> limit;  ///< maximum distance [m]; empty: the mean length of the mesh's springs
};

/// By marker; empty: its particles are given.
using WantedAttachments = std::vector<std::optional<WantedAttachment>>;

/// Reads `nearest_vertex`, `nearest_face`, or {attach: …, max_distance: …}; empty if the node is none of these.
std::optional<WantedAttachment> read_attachment(Node& item);

/// Attaches markers to the body in its configuration under `system`, each from its first complete sample, after the
/// placement; records the attachments in run.yaml. Returns the distance of each marker from its recorded position [m],
/// NaN where its particles are given. Throws InvalidArgument if a marker has no complete sample, is too far away, or
/// needs a face where there is none.
std::vector<double> attach_markers(Node& recording_node, const WantedAttachments& wanted, const Body& body,
                                   const diff::Scenario& scenario, optim::Observation& seen);

/// One sentence about the markers attached by attach_markers, with these distances; empty if there were none.
std::string attachment_text(const std::vector<optim::Marker>& markers, const std::vector<double>& distances);

/// The recorded channels of an item of `fit.recordings`, and the body that their markers follow.
struct RecordedChannels {
  const std::vector<std::string>& names;  ///< in the order of the columns
  const optim::MeasurementKind& kind;     ///< the kind of all channels
  const Body& body;                       ///< whose particles and groups the markers name
  double file_unit = 1;                   ///< factor from the file's unit to that of the kind
};

/// The standard deviations that a recording states.
struct WrittenSigma {
  double value = 0;    ///< in the unit of the kind; NaN: none is written
  Points factor = {};  ///< sigma of each component divided by `value`, 3×M; empty: 1
};

/// Reads `sigma` of a recording: one number, or one for each component; `fallback` without it.
WrittenSigma read_sigma(Node& recording_node, const RecordedChannels& channels, std::optional<double> fallback);

/// What the recorded channels are attached to.
struct MarkerList {
  std::vector<optim::Marker> markers = {};  ///< empty for kinds that do not follow `markers:`
  Vector sigma = {};                        ///< of each channel, M
  std::vector<bool> validation = {};        ///< the markers with `role: validation`; empty: none
  WantedAttachments attached = {};          ///< by channel

  /// Whether any marker is attached automatically.
  bool attaches() const;
};

/// Reads `markers:` of a recording. `sigma`: of markers without one of their own. Throws InvalidArgument if the number
/// of markers is not that of the channels, and where the kind does not follow markers.
MarkerList read_markers(Node& recording_node, const RecordedChannels& channels, double sigma);

}  // namespace pithball::app
