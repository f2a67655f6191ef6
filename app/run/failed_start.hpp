#pragma once
#include "app/spec/fit_spec.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// Adds to the verdict on a fit that could not evaluate its start what `simulate` says of the first recording whose run
/// fails there: how it failed, and the remedy. `theta`: where the search began. No other verdict changes.
void explain_failed_start(const FitSpec& spec, const optim::Vector& theta, optim::RunVerdict& verdict);

}  // namespace pithball::app
