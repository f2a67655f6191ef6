#include "app/run/failed_start.hpp"

#include <fmt/format.h>

#include "app/run/judged_run.hpp"

namespace pithball::app {

void explain_failed_start(const FitSpec& spec, const optim::Vector& theta, optim::RunVerdict& verdict) {
  if (verdict.status != optim::RunStatus::Failed || !verdict.remedy.empty()) return;
  for (const diff::Scenario& scenario : spec.fit->map().scatter(theta)) {
    const JudgedRun run = judge_run(scenario, 1);
    if (run.is_complete) continue;
    verdict.why = fmt::format("cannot evaluate: recording '{}': {}", scenario.name, run.verdict.why);
    verdict.remedy = run.verdict.remedy;
    return;
  }
}

}  // namespace pithball::app
