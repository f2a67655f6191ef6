#pragma once
#include <optional>
#include <string>

namespace pithball::app {

class Node;
struct Recording;

/// How a marker is attached to the body automatically.
struct WantedAttachment {
  bool to_face = false;         ///< to the nearest point of a face instead of the nearest vertex
  std::optional<double> limit;  ///< maximum distance [m]; empty: the mean length of the mesh's springs
};

/// Reads `nearest_vertex`, `nearest_face`, or {attach: …, max_distance: …}; empty if the node is none of these.
std::optional<WantedAttachment> read_attachment(Node& item);

/// Attaches markers to the body in its configuration under `system`, each from its first complete sample, after the
/// placement; records the attachments in run.yaml. Throws InvalidArgument if a marker has no complete sample, is too
/// far away, or needs a face where there is none.
void attach_markers(Node& recording_node, Recording& recording);

/// One sentence about the markers attached by attach_markers; empty if there were none.
std::string attachment_text(const Recording& recording);

}  // namespace pithball::app
