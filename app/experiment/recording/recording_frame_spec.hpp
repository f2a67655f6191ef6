#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"
#include "optim/uncertainty/held_error.hpp"

namespace pithball::app {

/// The smallest and largest value of an unknown.
using Range = std::array<double, 2>;

/// What the fit changes about a recording's clock.
struct FreeClock {
  std::optional<Range> offset,  ///< of the offset [s]; empty: fixed
      scale;                    ///< of the scale; empty: fixed
};

/// What the fit finds or changes about a recording's placement.
struct FreePlacement {
  bool rotation = false,                       ///< the fit changes the rotation
      translation = false;                     ///< the fit changes the translation
  bool is_nuisance = false;                    ///< rotation and translation are free although not requested
  bool is_chosen = false;                      ///< the file states what is refined
  bool to_register = false;                    ///< the initial placement is found from the markers
  bool scale = false;                          ///< the fit changes the scale
  std::size_t registered_frame = 0;            ///< the frame in which it was found
  std::vector<Index> registered_markers = {};  ///< the markers from which it was found
  std::vector<std::string> doubts = {};        ///< what the recording does not determine about it, one sentence each

  /// Whether the position of a camera is fitted.
  bool moves_camera() const { return translation || (to_register && !is_chosen); }
  /// Whether it is no longer that of the file.
  bool is_free() const { return rotation || translation || scale || to_register; }
  /// Makes a registered placement free where the file does not state what is refined; only for a fitted recording with
  /// a known initial state, since a free one could not be distinguished from the placement.
  void refine() { is_nuisance = rotation = translation = true; }
};

/// Reads `clock:` of a recording with known times: {offset: [lower, upper], scale: [lower, upper]}. Throws
/// InvalidArgument if a frame could come before the start of the simulation.
FreeClock read_clock(Node& recording_node, const optim::Observation& seen);

/// The latest simulated time of any frame within the ranges of the clock [s]; `delay`: recorded time after the last
/// frame that counts, too.
double latest_time(const optim::Observation& seen, const FreeClock& clock, double delay = 0);

/// Throws InvalidArgument for a clock that places the recording more than a thousand times its length after the
/// simulation's start, as times of day would: nobody intends to simulate that long.
void require_near_start(const Node& recording_node, const optim::Observation& seen, const FreeClock& clock);

/// Throws InvalidArgument where the simulation, which ends at `end` [s], ends before the first frame.
void require_overlap(const Node& recording_node, const optim::Observation& seen, const FreeClock& clock, double end);

/// Reads `placement:` of a recording of a kind, {rotation, translation, scale, register, fit}; the placement itself is
/// that of `frame`.
FreePlacement read_placement(Node& recording_node, const optim::MeasurementKind& kind, optim::RecordingFrame& frame);

/// Markers whose particles are known, and the body that they belong to.
struct PlacedMarkers {
  const optim::Observation& seen;  ///< the recording
  const diff::Scenario& scenario;  ///< where its particles start
  bool fits_focal_length = false;  ///< the focal length of its camera is unknown
};

/// If requested, finds the placement from the first frame with at least three markers that are not collinear; else
/// returns that of the recording. Throws InvalidArgument at the recording's node if there is no such frame.
optim::RecordingFrame register_placement(const Node& recording_node, const PlacedMarkers& markers,
                                         FreePlacement& placement);

/// The error of a registered placement, once the markers' sigma is known; empty: nothing is registered, or all of it is
/// refined.
std::optional<optim::ValueError> registration_error(const PlacedMarkers& markers, const FreePlacement& placement);

}  // namespace pithball::app
