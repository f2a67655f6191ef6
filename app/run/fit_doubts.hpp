#pragma once
#include <optional>

#include "app/run/run_verdict.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// What a fit says of itself: how its search ended, and why its estimates cannot be right though the search did end.
/// `fine` is the same fit at half the step, if there was one.
RunVerdict verdict_on_fit(const optim::FitReport& report, const std::optional<optim::FitReport>& fine);

}  // namespace pithball::app
