#pragma once
#include <optional>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

/// Samples that equal the one before in every component, more often than chance makes them: frames that were written
/// twice (a camera of 25 frames per second in a file of 50), and markers whose last position is held while they are
/// lost.
///
/// Two independent samples with noise σ round to one multiple of the step q with a probability of at most q/(2√π σ) in
/// each component, and where the track moves by d on either side, of that times exp(−d²/4σ²). A track is said to repeat
/// if as many repeats as it has are expected in less than one of 10⁶ tracks (Poisson). Where no noise is seen, a repeat
/// counts only if the motion continues during it: the sample after it is nearer to the line through the two different
/// ones before than to the repeated value, and its step is not one of rounding. A body at rest, a slow one that is
/// rounded, and one that sticks and slips repeat themselves without being found.
///
/// If all tracks that move repeat the same frames, it is one finding of kind Repeats about the recording; else one by
/// marker, of kind Placeholder where a position is held for 5 frames or longer or up to an end, or while others move.
/// The repeats, except the first of each, are taken away from `tracks`.
std::vector<Finding> find_repeated_samples(const Observation& observation, std::vector<TrackSamples>& tracks);

/// Stretches of three or more samples that lie exactly on the line between their neighbors, where the rest of the track
/// has noise: gaps that were filled by interpolation.
///
/// A second difference of independent samples with noise σ lies within ±q of zero with a probability below 2q/(√(2π)σ)
/// times the density of all L of them at once, 1/√det, det = (L+1)(L+2)²(L+3)/12 (of the matrix with 6, −4, 1). A
/// stretch counts if this product, over all components that have noise, is below 10⁻⁶ of the number of samples. q is
/// the step of rounding. Stretches of equal samples are repeats and not found here. What is found is taken away from
/// `samples`.
std::optional<Finding> find_filled_stretches(const Observation& observation, TrackSamples& samples);

}  // namespace pithball::optim
