#pragma once
#include <functional>
#include <limits>

#include "diff/rollout/rollout.hpp"

namespace pithball::experiments {

using diff::Index;

/// Time and work of one pass over all steps.
struct PassFigures {
  double seconds = 0;  ///< of the fastest repeat
  diff::RolloutCost cost;
};

/// What a gradient costs, pass by pass.
struct GradientFigures {
  PassFigures forward;    ///< a plain run
  PassFigures recording;  ///< the same run with tapes
  PassFigures adjoint;    ///< the reverse pass, for all physical values at once
  Index steps = 0, parameters = 0;
  /// |adjoint − tangent| / adjoint of the derivative along one direction through all physical values; NaN: not known.
  double disagreement = std::numeric_limits<double>::quiet_NaN();
  sim::StepStatus status = sim::StepStatus::Ok;
  /// Recording and adjoint together, in plain forward runs.
  double ratio() const { return (recording.seconds + adjoint.seconds) / forward.seconds; }
};

/// Runs each pass `repeats` times after one warm-up; the loss is ½ Σ |x|² at the last step. Then holds the gradient
/// against a tangent run. Without `gradient`, only the plain run. `progress` is called between the passes, never during
/// one, with the share of them that is done.
GradientFigures measure(const diff::Scenario& scenario, double budget_mb, int repeats, bool gradient,
                        const std::function<void(double)>& progress = {});

}  // namespace pithball::experiments
