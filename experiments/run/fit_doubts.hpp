#pragma once
#include <optional>

#include "experiments/run/run_verdict.hpp"
#include "optim/fit.hpp"

namespace pithball::experiments {

/// What a fit says of itself: how its search ended, and why its estimates cannot be right though the search did end. `fine`
/// is the same fit at half the step, if there was one.
RunVerdict verdict_on_fit(const optim::FitReport& report, const std::optional<optim::FitReport>& fine);

}  // namespace pithball::experiments
