#pragma once
#include <optional>

#include "optim/diagnosis/candidate_effect.hpp"
#include "optim/diagnosis/fitted_end.hpp"
#include "optim/diagnosis/score_test.hpp"

namespace pithball::optim {

/// The error of the time step h as a candidate: what is known of it without the recordings,
///    G = (r_h − r₀)/h,   r₀ = r_h + 2^p/(2^p − 1) (r_{h/2} − r_h),
/// with the order p of the integrator, so that β = −h removes it. Two forward runs, one of them at half the step. None
/// where a run fails, or the step changes nothing.
std::optional<CandidateEffect> find_step_error(const ResolvedFit& fit, const FittedEnd& end);

/// Whether a test of that candidate agrees with what is known: β = −h, within half of it or three standard errors.
/// Another cause may need far more than the step's error in the same direction.
bool agrees_with_step(const Candidate& candidate, const ScoreTest& test);

/// The time step whose error the recordings would no longer show, with a gain in χ² below one number's by chance; it
/// divides the present one.
double sufficient_step(const ScoreTest& test, const diff::Scenario& scenario);

}  // namespace pithball::optim
