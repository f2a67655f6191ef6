#pragma once
#include <optional>
#include <string>

namespace pithball::app {

class Node;
struct Recording;

/// How a marker finds its place on the body by itself.
struct WantedAttachment {
  bool to_face = false;         ///< to the nearest point of a face instead of the nearest vertex
  std::optional<double> limit;  ///< greatest distance [m]; empty: the mean length of the mesh's springs
};

/// `nearest_vertex`, `nearest_face`, or {attach: …, max_distance: …}; empty if the node says something else.
std::optional<WantedAttachment> read_attachment(Node& item);

/// Attaches the markers that want it to the body as the system puts it, each from its first whole sight, after the
/// placement; says in run.yaml where. Complains about a marker that is never seen whole, is too far, or wants a face
/// where there is none.
void attach_markers(Node& recording_node, Recording& recording);

/// One sentence about the markers that attach_markers placed; empty if it placed none.
std::string attachment_text(const Recording& recording);

}  // namespace pithball::app
