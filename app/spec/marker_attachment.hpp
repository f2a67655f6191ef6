#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/spec/body.hpp"
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

}  // namespace pithball::app
