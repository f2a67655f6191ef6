#pragma once
#include <optional>
#include <string>

#include "datasets/capture/capture_reader.hpp"

namespace pithball::app {

class Node;
using sim::Index;
using sim::Points;

/// The frames of a recording whose mean is its rest, `rest_frames:`, counted in the recording or by its clock.
struct RestFrames {
  Index first = 0, last = 0;  ///< so many from the beginning or the end; 0: not by number
  double from = 0, to = 0;    ///< [s], both included; if neither is counted

  /// Mean position of every marker over the frames in which it is present, 3×M [m]; NaN: a coordinate that is not
  /// there.
  Points mean(const datasets::Capture& capture) const;
};
std::optional<RestFrames> read_rest_frames(Node& recording);

/// A marker and a distance from its rest.
struct Excursion {
  std::string marker;
  double distance = 0;  ///< [m]

  /// Whether the marker is farther from its rest than that, in each frame; not where it is missing. Rejects a marker
  /// that the recording does not have, at `node`.
  std::vector<bool> frames_beyond(const Node& node, const datasets::Capture& capture, const Points& rest) const;
};
Excursion read_excursion(Node& node);

/// A recording's frames in use, and its rest.
struct RecordedMotion {
  datasets::Capture capture;
  datasets::Capture lead_in;   ///< frames right before them in the same part, at most 25; often none
  Points rest;                 ///< 3×M [m]; empty without `rest_frames`
  bool begins_within = false;  ///< its first frame is that of a part or found by the motion: its time says nothing
};

/// What of a file is a recording, and which of its frames are used: the keys `part`, `rest_frames` and `frames`.
class FrameChoice {
 public:
  explicit FrameChoice(Node& recording);
  /// What the file's reader selects. Where frames are chosen by the motion, it reads all of them.
  datasets::FrameSubset of_reader() const { return by_motion() ? datasets::FrameSubset() : subset_; }
  RecordedMotion choose(Node& recording, datasets::Capture whole) const;

 private:
  struct Span {
    double from, to;  ///< [s]
  };
  bool by_motion() const { return part_ || after_ || count_ > 0 || rest_; }
  std::vector<Index> frames_of(Node& recording, const datasets::Capture& capture, const Points& rest) const;

  datasets::FrameSubset subset_;
  std::optional<Span> part_;
  std::optional<RestFrames> rest_;
  std::optional<Excursion> after_;
  Index count_ = 0;  ///< 0: all
};

}  // namespace pithball::app
