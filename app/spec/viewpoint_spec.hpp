#pragma once
#include <array>
#include <optional>
#include <vector>

#include "optim/parameter/parameter.hpp"

namespace pithball::app {

class Node;
struct Recording;
using optim::Index;

/// What of a recording's viewpoint is a parameter of the fit.
struct FreeViewpoint {
  std::optional<std::array<double, 2>> clock_offset, clock_scale;  ///< bounds: [s], and a number
  bool rotation = false, translation = false;
  bool to_register = false;  ///< the start of the placement is found from the markers
};

/// Reads `clock:` of a recording, whose times are known: {offset: [lower, upper], scale: [lower, upper]}. Complains
/// where a frame could come to lie before the simulation's start.
void read_clock(Node& recording_node, Recording& recording);

/// The latest simulated time at which the recording can be seen, whatever its clock turns out to be [s].
double latest_time(const Recording& recording);

/// Reads `placement:` of a recording: {rotation, translation, register, fit}.
void read_placement(Node& recording_node, Recording& recording);

/// Finds the placement from the first frame that shows three or more attached markers off one line, where it is asked
/// for.
void register_placement(Node& recording_node, Recording& recording);

/// Adds what is free of the viewpoint to the parameters of recording number `index`.
void add_free_viewpoint(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
