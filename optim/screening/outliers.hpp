#pragma once
#include <optional>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

/// Samples far from what their neighbors in time predict.
///
/// A filter after Hampel (JASA 69, 1974) on the differences of the lowest even order that shows the noise
/// (`TrackSamples::roughness`): a sample is suspected where the difference around it is larger, in units of their
/// robust standard deviation, than Student's t is in one of 10³ recordings of this size; the standard deviation is
/// never below that of rounding. A suspected sample must meet three more conditions, in a window of 3 + p/2 samples on
/// either side:
///  - without it (and without at most two others of the window that stand out likewise) the window is as smooth as a
///    polynomial of degree p + 1 with this noise;
///  - it stays apart where the samples from it on may have another place and slope than those before, and where those
///    after it may: on a kink or jump a sample belongs to one of the two sides (in second differences, an outlier is
///    1, −2, 1 and a kink 1 or 1, 1);
///  - both put it on the same side of its neighbors.
/// The first and the last two samples around a gap are not judged: one of them cannot be told from a kink. What is
/// found is taken away and the rest searched again, four times at most.
///
/// Readings in which an impact is a spike (accelerations, forces) show outliers only if some of those of a marker point
/// in opposite directions: contacts push in one direction.
///
/// One finding for each marker, whose number is the largest distance in units of the noise. What is found is taken away
/// from `tracks`.
std::vector<Finding> find_outliers(const Observation& observation, std::vector<TrackSamples>& tracks);

}  // namespace pithball::optim
