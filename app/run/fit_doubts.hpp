#pragma once
#include <optional>

#include "app/run/run_verdict.hpp"
#include "app/run_folder/fit_record.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

/// The status of a fit that converged and is far from the recording (optim::RecordingMisfit::fits).
inline constexpr const char* does_not_fit = "does not fit";

/// What a fit says of itself: how its search ended, and why its estimates cannot be right though the search did end.
/// `halved` is where it went at half the step, if that was asked for.
RunVerdict verdict_on_fit(const optim::FitReport& report, const std::optional<HalvedStep>& halved);

}  // namespace pithball::app
