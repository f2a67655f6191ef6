#pragma once
#include <optional>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/fit/bounded_errors.hpp"
#include "optim/verdict/misfit_causes.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Part of the excess of χ² that a suspect explains at least: residuals are then not noise, whatever the rest of them
/// is. It is called the cause only if it explains most of the excess (`Diagnosis::leaves_most`).
inline constexpr double telling_part = 0.2;

/// The value that the fit holds, or the force or spring that its body lacks, that explains its residuals at θ, if it is
/// significant at `change_alarm` and, where χ² has an excess, explains more than `telling_part` of it. Tested are
/// values of the whole body and those of `FitProblem::wider_models`, of the clock, the placement or the instrument of a
/// recording, and the start; the time step, single particles, springs and attachments as far as `elements` says, and
/// once such a value is found. `errors`: those at θ. It costs two runs with tangents, of the values and of the starts,
/// about 20 runs for trials where something is significant, and, once a suspect is found, `diagnose` of all elements
/// besides.
SuspectSearch find_suspect(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& errors,
                           TestedElements elements);

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
