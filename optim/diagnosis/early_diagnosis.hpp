#pragma once
#include <optional>

#include "optim/diagnosis/diagnosis.hpp"

namespace pithball::optim {

/// The diagnosis of a fit that does not fit, from the first part of its recordings that fits when it is fitted alone,
/// but not to within its noise: there a motion has not yet lost its phase, so that the effect of what is lacking is
/// still linear. Parts are shorter by √2 each, and none has fewer than `least_frames` of a recording; the first one is
/// taken in which something is lacking that explains most of its excess of χ². Each costs two searches, from the start
/// of the fit and from θ, and a diagnosis. Empty: there is no such part.
std::optional<Diagnosis> diagnose_early(const ResolvedFit& fit, const ResolvedFit& extended, const Vector& theta,
                                        const DiagnosisOptions& options = {});

/// Frames of a recording in the shortest part.
inline constexpr Index least_frames = 3;

}  // namespace pithball::optim
