#pragma once
#include <optional>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/track_samples.hpp"

namespace pithball::optim {

/// Whether the noise of a recording is smoothed or correlated in time: tracks that were filtered, or errors that last.
///
/// Residuals of each sample from a polynomial of degree p + 1 through 3 + p/2 samples on either side (p: the order of
/// `TrackSamples::roughness`) keep the upper part of the spectrum of the noise and nothing of a smooth motion. Their
/// autocorrelations at lags 1 to 12, over all components that show noise, are compared with those that the same filter
/// gives to white noise, in units of Bartlett's standard errors (J. R. Stat. Soc. Suppl. 8, 1946). A moving average of
/// n frames gives −1/2 at lag n. Noise is called correlated where one of them is off by 4.3 standard errors and by 0.1,
/// and lags longer than the filters show nothing: correlations there would come from a fast motion. Residuals beyond 4
/// standard deviations, with those around, are left out, so that impacts and outliers do not count. Uneven times are
/// not judged.
std::optional<Finding> find_correlated_noise(const Observation& observation, const std::vector<TrackSamples>& tracks);

}  // namespace pithball::optim
