#include "app/run/gradient_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "diff/check/gradient_doubts.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {
namespace {

std::string verdict_of(const diff::GradientCheck& check) {
  if (!check.status.ok()) return diff::to_string(check.status) + ": nothing to compare";
  return check.passed ? "passed" : "failed";
}

}  // namespace

GradientRun run_gradient_check(Experiment& experiment, Index steps, bool progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  diff::Scenario& scenario = experiment.scenario;
  if (steps > 0 && steps < scenario.steps) {
    scenario.steps = steps;
    const double duration = steps * scenario.time_step;
    set_at(experiment.filled, "simulation.duration", make_scalar(fmt::format("{}", duration)), "--steps");
  }
  GradientRun run;
  run.tolerances.budget_mb = experiment.memory_budget_mb;
  {
    Progress bar("check-gradient " + experiment.name, 1, progress);
    diff::GradientCheckOptions watched = run.tolerances;
    watched.on_progress = [&](double share) { bar.update(share); };
    run.check = diff::check_gradient(scenario, diff::ProbeLoss(scenario), watched);
  }
  run.ok = run.check.passed && run.check.status.ok();
  run.verdict = verdict_of(run.check);
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const Index unreliable = run.check.status.unreliable_step;
  run.record = {.passed = run.ok,
                .status = sim::to_string(run.check.status.status),
                .unreliable_step = unreliable >= 0 ? std::optional(unreliable) : std::nullopt,
                .loss = run.check.loss,
                .steps = scenario.steps,
                .crossings = run.check.crossings,
                .tangent_tolerance = run.tolerances.tangent_tolerance,
                .difference_tolerance = run.tolerances.difference_tolerance,
                .blocks = run.check.blocks};
  run.record.doubts = doubts_of_gradients({scenario});
  return run;
}

std::vector<std::string> doubts_of_gradients(const std::vector<diff::Scenario>& scenarios) {
  std::vector<std::string> sentences;
  for (const sim::Doubt& doubt : diff::find_gradient_doubts(scenarios)) sentences.push_back(doubt.sentence());
  return sentences;
}

void write_gradient_run(const GradientRun& run, const Experiment& experiment, const RunOrder& order) {
  const diff::Scenario& scenario = experiment.scenario;
  RunFolder folder(order.target, make_input_record(experiment.filled, order.provenance), order.earlier);
  folder.write_experiment(experiment.filled, order.provenance);
  folder.write_text("gradient.json", json_text(to_json(run.record)) + "\n");
  const std::string doubts = fmt::format("{}", fmt::join(run.record.doubts, "; "));
  const Summary summary{.program = fmt::format("pithball {}", version),
                        .command = "check-gradient",
                        .name = experiment.name,
                        .status = run.ok && !doubts.empty() ? to_string(optim::RunStatus::Doubtful)
                                  : run.ok                  ? to_string(optim::RunStatus::Passed)
                                  : run.check.status.ok()   ? to_string(optim::RunStatus::Failed)
                                                            : run.record.status,
                        .seconds = run.seconds,
                        .threads = order.provenance.threads,
                        .folder = order.target.string()};
  const GradientOutcome outcome{.steps = scenario.steps,
                                .explanation = run.ok ? doubts : run.verdict,
                                .particles = scenario.model.particles(),
                                .springs = scenario.model.springs().size(),
                                .integrator = scenario.integrator.name(),
                                .time_step = scenario.time_step};
  folder.write_text("summary.json", json_text(to_json(summary, outcome)) + "\n");
  folder.finish();
}

}  // namespace pithball::app
