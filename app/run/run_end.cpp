#include "app/run/run_end.hpp"

#include <fmt/format.h>

#include "app/run/step_remedy.hpp"

namespace pithball::app {

sim::RunOptions run_options(const Experiment& experiment) {
  const diff::Scenario& scenario = experiment.scenario;
  return {scenario.integrator, scenario.time_step, scenario.steps, experiment.every, scenario.stage};
}

optim::RunVerdict verdict_on_end(sim::StepStatus status, Index step, double time, const diff::Scenario& scenario,
                                 const std::optional<sim::CloseApproach>& approach) {
  const std::string place = fmt::format("step {} (t = {:g} s)", step, time);
  const std::string where = approach ? "; " + approach->sentence() : "";
  switch (status) {
    case sim::StepStatus::Diverged:
      return {optim::RunStatus::Diverged,
              fmt::format("diverged at {}: a position or velocity is not finite or far outside the initial extent{}",
                          place, where),
              step_remedy(StepTrouble::Diverged, scenario, approach)};
    case sim::StepStatus::NotConverged:
      return {optim::RunStatus::NotConverged,
              fmt::format("not converged at {}: {}{}", place,
                          scenario.integrator.info().implicit
                              ? "the implicit step did not reach simulation.tolerance"
                              : "no substep, however short, reached the tolerance of " + scenario.integrator.name() +
                                    ", or touches changed too often within one",
                          where),
              step_remedy(StepTrouble::NotConverged, scenario, approach)};
    case sim::StepStatus::Ok:
      break;
  }
  if (step == scenario.steps) return {};
  return {optim::RunStatus::Interrupted, fmt::format("interrupted after {}", place), "continue with --resume"};
}

}  // namespace pithball::app
