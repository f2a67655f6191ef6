#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "sim/core/doubt.hpp"

namespace pithball::diff {

/// By how much a touch spoils derivatives: a force k d that begins within a step h changes the velocity by an amount
/// that depends on where in the step it begins, a saw-tooth of the slope k h/2m; one that jumps by F at the speed v
/// along the normal lacks F/(m v). Over the time T that follows, ∂x/∂x₀ is off by
///   E = (k h/2 + F/v) T/m,   with a smoothing w by   E · min(1, 540/z⁴),   z = 2π w/(v h),
/// where 540/z⁴ bounds, for z > 12, the Fourier transform of `sim::kernel::SmoothedDepth::slope`, differentiated, at
/// one wave for each step.
struct TouchError {
  double stiffness,  ///< k [N/m]
      jump,          ///< F [N]
      speed,         ///< v > 0 [m/s]
      mass,          ///< m [kg]
      step,          ///< h [s]
      time;          ///< T [s]

  /// E: without a smoothing.
  double sharp() const;
  /// The value with the smoothing w ≥ 0 [m].
  double smoothed(double w) const;
  /// The same error for steps of at most a tenth of the contact, π √(m/k), which a motion in contact needs anyway.
  TouchError in_tenths() const;
  /// w [m] for an error of a hundredth, 6 v h max(1, (E/40)^¼): at least six steps, so that the error falls with h.
  double advised() const;
};

/// An error of ∂x/∂x₀ beyond this is doubtful (k h T/m > 0.1): it is 1 for a free body.
inline constexpr double doubtful_touch_error = 0.05;
/// Growth of a change of the start beyond which derivatives through contacts are of no use: at this growth, a change of
/// a millionth of the body's size already leaves the range in which they are valid.
inline constexpr double useless_growth = 1e6;

/// Why exact derivatives of the steps of these runs are not those of their motion. Runs the scenarios whose forces
/// begin at touches (`sim::BeginsAtTouch`), in parallel, and looks at all touches that begin or end: for each force
/// whose derivatives are off, the worst touch and the smoothing for all; if there is none, whether derivatives grow
/// beyond use. Touches at which the integrator ends its steps spoil nothing. Where a touch lasts to the end, T is at
/// most √(m/k). Costs nothing for other scenarios.
std::vector<sim::Doubt> find_gradient_doubts(const std::vector<Scenario>& scenarios);

}  // namespace pithball::diff
