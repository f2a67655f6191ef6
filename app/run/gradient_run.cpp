#include "app/run/gradient_run.hpp"

#include <fmt/format.h>

#include <chrono>

#include "app/base/json_text.hpp"
#include "app/base/version.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const diff::GradientBlock& block) {
  return {{"name", block.name},
          {"size", block.size},
          {"largest", block.largest},
          {"adjoint_vs_tangent", block.adjoint_vs_tangent},
          {"adjoint_vs_difference", block.adjoint_vs_difference},
          {"difference_error", block.difference_error},
          {"worst", block.worst},
          {"passed", block.passed}};
}

std::string verdict_of(const diff::GradientCheck& check) {
  if (!check.status.ok()) return diff::to_string(check.status) + ": nothing to compare";
  return check.passed ? "passed" : "failed";
}

}  // namespace

GradientRun run_gradient_check(Experiment& experiment, Index steps) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  diff::Scenario& scenario = experiment.scenario;
  if (steps > 0 && steps < scenario.steps) {
    scenario.steps = steps;
    const double duration = static_cast<double>(steps) * scenario.time_step;
    set_at(experiment.filled, "simulation.duration", make_scalar(fmt::format("{}", duration)), "--steps");
  }
  GradientRun run;
  run.tolerances.budget_mb = experiment.memory_budget_mb;
  run.check = diff::check_gradient(scenario, diff::ProbeLoss(scenario), run.tolerances);
  run.ok = run.check.passed && run.check.status.ok();
  run.verdict = verdict_of(run.check);
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ordered_json blocks = ordered_json::array();
  for (const diff::GradientBlock& block : run.check.blocks) blocks.push_back(to_json(block));
  const Index unreliable = run.check.status.unreliable_step;
  run.json = {{"passed", run.ok},
              {"status", sim::to_string(run.check.status.status)},
              {"unreliable_step", unreliable >= 0 ? ordered_json(unreliable) : ordered_json(nullptr)},
              {"loss", run.check.loss},
              {"steps", scenario.steps},
              {"crossings", run.check.crossings},
              {"tolerances",
               {{"tangent", run.tolerances.tangent_tolerance}, {"difference", run.tolerances.difference_tolerance}}},
              {"blocks", blocks}};
  return run;
}

void write_gradient_run(const GradientRun& run, const Experiment& experiment, const RunOrder& order) {
  const diff::Scenario& scenario = experiment.scenario;
  RunFolder folder(order.target, make_input_record(experiment.filled, order.provenance), order.earlier);
  folder.write_experiment(experiment.filled, order.provenance);
  folder.write_text("gradient.json", json_text(run.json) + "\n");
  const ordered_json summary{{"program", fmt::format("pithball {}", version)},
                             {"command", "check-gradient"},
                             {"name", experiment.name},
                             {"status", run.ok                  ? "passed"
                                        : run.check.status.ok() ? "failed"
                                                                : run.json["status"]},
                             {"complete", true},
                             {"steps", scenario.steps},
                             {"explanation", run.ok ? "" : run.verdict},
                             {"seconds", run.seconds},
                             {"particles", scenario.model.particles()},
                             {"springs", scenario.model.springs().size()},
                             {"integrator", scenario.integrator.name()},
                             {"time_step", scenario.time_step},
                             {"threads", order.provenance.threads},
                             {"folder", order.target.string()}};
  folder.write_text("summary.json", json_text(summary) + "\n");
  folder.finish();
}

}  // namespace pithball::app
