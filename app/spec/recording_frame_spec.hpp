#pragma once
#include <array>
#include <optional>
#include <vector>

#include "optim/parameter/parameter.hpp"

namespace pithball::app {

class Node;
struct Recording;
using optim::Index;

/// The free part of a recording's recording_frame.
struct FreeRecordingFrame {
  std::optional<std::array<double, 2>> clock_offset,  ///< smallest and largest offset [s]; empty: fixed
      clock_scale;                                    ///< smallest and largest scale; empty: fixed
  bool rotation = false,                              ///< the fit changes the rotation
      translation = false;                            ///< the fit changes the translation
  bool is_nuisance = false;                           ///< rotation and translation are free although not requested
  bool is_chosen = false;                             ///< the file states what is refined
  bool to_register = false;                           ///< the initial placement is found from the markers
  std::size_t registered_frame = 0;                   ///< the frame in which it was found
  std::vector<Index> registered_markers = {};         ///< the markers from which it was found
  std::vector<std::string> doubts = {};  ///< what the recording does not determine of its placement, a sentence each

  bool moves_camera() const { return translation || (to_register && !is_chosen); }  ///< its position is fitted
};

/// Reads `clock:` of a recording with known times: {offset: [lower, upper], scale: [lower, upper]}. Throws
/// InvalidArgument if a frame could come before the start of the simulation.
void read_clock(Node& recording_node, Recording& recording);

/// The latest simulated time of any frame within the bounds of the clock [s].
double latest_time(const Recording& recording);

/// Complains of a clock that puts the recording a thousand of its lengths behind the simulation's start, as times of
/// day do: nobody means to simulate that long.
void require_near_start(const Node& recording_node, const Recording& recording);

/// Complains where the simulation, whose duration is known, ends before the first frame.
void require_overlap(const Node& recording_node, const Recording& recording);

/// Reads `placement:` of a recording: {rotation, translation, register, fit}.
void read_placement(Node& recording_node, Recording& recording);

/// If requested, finds the placement from the first frame with at least three attached markers that are not collinear.
void register_placement(Node& recording_node, Recording& recording);

/// Adds the error of a registered placement, except for its refined parts, to the held values, once the markers' sigma
/// is known.
void add_registration_error(Recording& recording);

/// Makes a registered placement free if the file does not state what is refined; only for a fitted recording with a
/// known initial state, since a free one could not be distinguished from the placement.
void refine_registration(Recording& recording);

/// Adds the free part of the recording_frame to the parameters of recording number `index`; nuisance parts only if
/// `parameters` does not contain them yet.
void add_free_recording_frame(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
