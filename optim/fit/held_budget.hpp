#pragma once
#include "optim/fit/bounded_errors.hpp"
#include "optim/residual/whole_run.hpp"
#include "optim/uncertainty/held_effect.hpp"

namespace pithball::optim {

/// Assumed errors. They are parts of what is held or of what is recorded, so that they mean the same at every scale.
inline constexpr double held_value_part = 1e-2;    ///< of a value, of all readings, of the motion, of a frame's time
inline constexpr double held_clock_part = 1e-3;    ///< of the rate of a clock: 29.97 frames a second read as 30
inline constexpr double held_place_part = 1e-3;    ///< of the size of the scene: what 0.1° does to its ends
inline constexpr double held_angle_degrees = 0.1;  ///< of a rotation about the worst axis

/// From one recorded run and as many adjoints as there are requested parameters, with the errors and the final run of a
/// fit at θ, and the misfits of its recordings.
HeldBudget compute_held_budget(const ResolvedFit& fit, const Vector& theta, const BoundedErrors& bounded,
                               const WholeRun& run, const std::vector<RecordingMisfit>& misfits);

}  // namespace pithball::optim
