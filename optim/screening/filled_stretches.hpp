#pragma once
#include <optional>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

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
