#pragma once
#include <optional>

#include "app/result/fit_record.hpp"
#include "app/run/run_verdict.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

/// Verdict on a fit: how its search ended, and why its estimates may be wrong although the search converged. `halved`:
/// the fit at half the time step, if requested.
RunVerdict verdict_on_fit(const optim::FitReport& report, const std::optional<HalvedStep>& halved);

}  // namespace pithball::app
