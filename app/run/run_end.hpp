#pragma once
#include <optional>

#include "app/spec/experiment.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/close_approach.hpp"
#include "sim/run/simulator.hpp"

namespace pithball::app {

/// How an experiment is simulated.
sim::RunOptions run_options(const Experiment& experiment);

/// Verdict on a run whose last step is number `step` and ended at `time` [s]; `approach`: what came closer than the
/// steps resolve.
optim::RunVerdict verdict_on_end(sim::StepStatus status, Index step, double time, const diff::Scenario& scenario,
                                 const std::optional<sim::CloseApproach>& approach = {});

}  // namespace pithball::app
