#pragma once
#include <array>
#include <optional>
#include <vector>

#include "optim/parameter/parameter.hpp"

namespace pithball::app {

class Node;
struct Recording;
using optim::Index;

/// What of a recording's recording_frame is a parameter of the fit.
struct FreeRecordingFrame {
  std::optional<std::array<double, 2>> clock_offset, clock_scale;  ///< bounds: [s], and a number
  bool rotation = false, translation = false;
  bool is_nuisance = false;                    ///< rotation and translation are free though nobody asked for them
  bool is_chosen = false;                      ///< the file says what is refined
  bool to_register = false;                    ///< the start of the placement is found from the markers
  std::size_t registered_frame = 0;            ///< the frame that it was found in
  std::vector<Index> registered_markers = {};  ///< those that it was found from
  std::vector<std::string> doubts = {};        ///< what the recording does not tell of its placement, a sentence each

  bool moves_camera() const { return translation || (to_register && !is_chosen); }  ///< its position is fitted
};

/// Reads `clock:` of a recording, whose times are known: {offset: [lower, upper], scale: [lower, upper]}. Complains
/// where a frame could come to lie before the simulation's start.
void read_clock(Node& recording_node, Recording& recording);

/// The latest simulated time at which the recording can be seen, whatever its clock turns out to be [s].
double latest_time(const Recording& recording);

/// Complains of a clock that puts the recording a thousand of its lengths behind the simulation's start, as times of
/// day do: nobody means to simulate that long.
void require_near_start(const Node& recording_node, const Recording& recording);

/// Complains where the simulation, whose duration is known, ends before the first frame.
void require_overlap(const Node& recording_node, const Recording& recording);

/// Reads `placement:` of a recording: {rotation, translation, register, fit}.
void read_placement(Node& recording_node, Recording& recording);

/// Finds the placement from the first frame that shows three or more attached markers off one line, where it is asked
/// for.
void register_placement(Node& recording_node, Recording& recording);

/// Adds the error of a registered placement to what is held, once the markers' sigma is known: of those of its parts
/// that the fit does not refine.
void add_registration_error(Recording& recording);

/// Lets the fit refine a registered placement of which the file does not say what is refined; for a recording that is
/// fitted, whose start is known: a free start would hide where the frame of reference is.
void refine_registration(Recording& recording);

/// Adds what is free of the recording_frame to the parameters of recording number `index`, what is a nuisance only if
/// `parameters` does not move it yet.
void add_free_recording_frame(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
