#pragma once
#include "optim/fit/bounded_errors.hpp"
#include "optim/residual/residual.hpp"
#include "optim/residual/whole_run.hpp"
#include "optim/uncertainty/held_error.hpp"
#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

/// Assumed errors. They are fractions of what is held or recorded, so that they mean the same at every scale.
inline constexpr double held_value_part = 1e-2;    ///< of a value, of all readings, of the motion, of a frame's time
inline constexpr double held_clock_part = 1e-3;    ///< of the rate of a clock: 29.97 frames a second read as 30
inline constexpr double held_place_part = 1e-3;    ///< of the size of the scene: how far 0.1° moves its ends
inline constexpr double held_angle_degrees = 0.1;  ///< of a rotation about the worst axis

/// From one recorded run and as many adjoints as there are requested parameters, with the errors and the final run of a
/// fit at θ, and the misfits of its recordings.
HeldBudget compute_held_budget(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& bounded,
                               const WholeRun& run, const std::vector<RecordingMisfit>& misfits);

class ResolvedFit;

/// Adds the uncertainty of held values (`FitProblem::value_errors`) to the errors of θ:
///    C ← C + G Gᵀ,   G = H⁺ (JᵀW J₀) Σ₀^½/τ²,   J₀ = ∂r/∂(held values),
/// with one adjoint for each parameter: to first order θ changes by −H⁺JᵀW J₀ δ/τ² if held values are wrong by δ (the
/// implicit function theorem on the gradient of the cost; without loss and priors τ²H = JᵀJ). The noise of held values
/// is assumed independent of the residuals. Values changed by θ are left out. Recordings are compared once more, with
/// the errors of the held values of each (`compare_recordings`). `rows`, `scores` and `errors`: those of
/// the fit at θ.
Evaluation carry_held_values(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                             AllErrors& errors);

}  // namespace pithball::optim
