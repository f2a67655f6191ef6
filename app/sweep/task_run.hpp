#pragma once
#include <optional>

#include "app/result/sweep_record.hpp"
#include "app/spec/sweep_spec.hpp"

namespace pithball::app {

/// Does a task in memory: simulates, fits, or predicts what the recordings determine. Nothing is written. None if an
/// Interruption requested a stop. Throws whatever reading or running the experiment throws.
std::optional<TaskResult> run_task(const SweepTask& task, const ExperimentDocument& experiment,
                                   const std::string& command);

}  // namespace pithball::app
