#pragma once
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::app {

/// Adds what the fit changes of the recordings themselves to the parameters that the user lists: clock, placement and
/// instrument, then the initial states. What need not be requested is a nuisance parameter, unless it is listed
/// already.
void add_recording_parameters(const std::vector<Recording>& recordings, std::vector<optim::Parameter>& parameters);

/// Groups of recordings of one motion, by their numbers; each recording is in one group at most.
using SameMotion = std::vector<std::vector<Index>>;

/// Reads `same_motion:` of the fit, lists of names of recordings. The recordings of a group show one simulated motion:
/// they start from the state of the first one, which its `initial_state` gives or frees once for all, and every value
/// of the body that is a fit parameter is the same in all of them. Clock and placement remain those of each recording.
/// Sets the starts of the others. Throws InvalidArgument if they simulate other bodies or steps, or if the group's
/// clock and start are both free.
SameMotion read_same_motion(Node& fit, std::vector<Recording>& recordings);

/// Makes the parameters of values that belong to the motion the same for all recordings of a group: those of one
/// recording become those of its group ("position[left+right][3].x").
void share_in_groups(const SameMotion& groups, const std::vector<Recording>& recordings,
                     std::vector<optim::Parameter>& parameters);

/// Notes on free starts of which components stay as in the file because no recording sees them: "held: z of the start
/// of film, as in the file, which no recording sees". One for all recordings that hold the same.
std::vector<std::string> say_held_starts(const std::vector<Recording>& recordings, const optim::ParameterMap& map);

}  // namespace pithball::app
