#pragma once
#include <string>

#include "optim/uncertainty/whiteness.hpp"
#include "optim/verdict/fit_quality.hpp"

namespace pithball::optim {

/// Why noise that is correlated from frame to frame, as these residuals are, does not explain that they are larger than
/// the noise of their recording; empty: it does.
///
/// Differences of order p see of a first-order autoregression with coefficient ρ and variance s² the part
///    Σ_k (−1)^k C(2p, p + k)/C(2p, p) ρ^|k| → (1 − ρ)/(1 + ρ)   for large p,
/// which is no more than a third above the limit for p = 3. So with the noise σ of the recording
///    Q = (s²/σ²) (1 − ρ)/(1 + ρ)
/// is 1 for such noise, less for noise that has an independent part besides, and larger for a misfit that is smoother
/// than its correlation from frame to frame. With ρ̂_1 of n residuals, ln Q has the variance
///    (2 + 4 (1 − ρ)/(1 + ρ))/n + 2/ν_σ,
/// because ln Q is ln of the innovations' variance s² (1 − ρ²) without ln σ² and 2 ln(1 + ρ). Beyond `rarely_beyond`
/// of its standard deviations, noise is no explanation. (A smooth misfit in many frames has Q = ½, as slow noise beside
/// an independent one: these two are told apart only by what else is tested, suspects and estimates along the
/// recording.)
///
/// Nor is it where the correlation changes along the recording, as it does if names of markers are exchanged from some
/// frame on, or if a motion that starts as the model does goes astray later: (1 − ρ̂) of one half of the frames over
/// that of the other is F-distributed for a slow part beside independent noise, with the degrees of freedom that the
/// correlation leaves of the residuals of a half, and has p < `change_alarm`.
std::string refuse_noise(const RecordingMisfit& misfit, const RecordingWhiteness& residuals);

/// Standard deviations of ln Q beyond which noise does not explain a misfit: by chance in at most 2 of 100 fits with
/// autoregressive noise up to ρ = 0.95, from 16 frames on.
inline constexpr double rarely_beyond = 3;

}  // namespace pithball::optim
