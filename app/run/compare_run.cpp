#include "app/run/compare_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/run_folder/kept_work.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json numbers_or_null(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double value : values) list.push_back(number_or_null(value));
  return list;
}

/// What a run was, how it ended and what it took.
ordered_json run_json(const ComparedRun& compared) {
  const SampledRun& run = compared.run;
  return {{"method", compared.method},
          {"time_step", compared.time_step},
          {"status", sim::to_string(run.status.status)},
          {"steps", run.status.step},
          {"failed_step", run.status.ok() ? ordered_json(nullptr) : ordered_json(run.status.step)},
          {"seconds", run.seconds},
          {"compile_seconds", run.compile_seconds ? ordered_json(*run.compile_seconds) : ordered_json(nullptr)},
          {"force_evaluations", run.cost.force_evaluations},
          {"coulomb_evaluations", run.coulomb.sums + run.coulomb.products},
          {"linear_solves", run.cost.linear_solves},
          {"cg_iterations", run.cost.cg_iterations},
          {"capped_substeps", run.cost.capped_substeps}};
}

/// The same with its errors.
ordered_json measured_json(const ComparedRun& compared) {
  ordered_json json = run_json(compared);
  const Deviation& deviation = compared.deviation;
  json["energy_error"] = {{"mean", number_or_null(deviation.energy_mean)},
                          {"standard_deviation", number_or_null(deviation.energy_standard_deviation)},
                          {"max", number_or_null(deviation.energy_max)}};
  json["position_error"] = {{"rms", number_or_null(deviation.position)},
                            {"relative", number_or_null(deviation.position_relative)}};
  json["over_time"] = {{"time", deviation.time},
                       {"energy_error", numbers_or_null(deviation.energy_error)},
                       {"position_error", numbers_or_null(deviation.position_error)}};
  return json;
}

std::string status_of(const CompareRun& run) {
  if (!run.ok) return "reference failed";
  return run.explanation.empty() ? "ok" : "reference too coarse";
}

}  // namespace

ordered_json comparison_json(const Comparison& comparison) {
  ordered_json rows = ordered_json::array();
  for (const ComparedRun& row : comparison.rows) rows.push_back(measured_json(row));
  ordered_json reference = run_json(comparison.reference);
  const bool checked = comparison.reference.run.status.ok();
  reference["check"] = checked ? measured_json(comparison.check) : ordered_json(nullptr);
  reference["fine_enough"] = comparison.ok() ? ordered_json(comparison.reference_is_fine()) : ordered_json(nullptr);
  return {{"backends", comparison.backends},
          {"reference", reference},
          {"instants", {{"spacing", comparison.spacing}}},
          {"energy_scale",
           {{"by", comparison.energy_by_instant ? "instant" : "largest"},
            {"largest", number_or_null(comparison.energy_scale)}}},
          {"largest_displacement", comparison.largest_displacement},
          {"smallest_error",
           {{"energy", number_or_null(comparison.smallest_energy_error())},
            {"position", number_or_null(comparison.smallest_position_error())}}},
          {"rows", rows}};
}

std::string explain(const Comparison& comparison) {
  for (const ComparedRun* run : {&comparison.reference, &comparison.check}) {
    const diff::RolloutStatus& status = run->run.status;
    if (!status.ok())
      return fmt::format(
          "the reference, {} at {:g} s, {} at step {}: there is nothing to measure by; give compare.reference a "
          "shorter "
          "time_step or another integrator",
          run->method, run->time_step, status.status == sim::StepStatus::Diverged ? "diverged" : "did not converge",
          status.step);
  }
  if (comparison.reference_is_fine()) return "";
  return fmt::format(
      "the reference is not fine enough: halving its step changes the energy by {:.2g} (mean) and positions by {:.2g} "
      "m, "
      "more than a tenth of the smallest errors found, {:.2g} and {:.2g} m; shorten compare.reference.time_step",
      comparison.check.deviation.energy_mean, comparison.check.deviation.position, comparison.smallest_energy_error(),
      comparison.smallest_position_error());
}

CompareRun run_comparison(const CompareSpec& spec, const RunOrder& order) {
  using Clock = std::chrono::steady_clock;
  RunFolder::check(order.target, order.earlier);
  const Clock::time_point start = Clock::now();
  const Interruption interruption;  // other programs must be ended with ours
  KeptWork work(order, spec.filled);
  CompareRun run;
  work.make([&](optim::Ledger& ledger) {
    Progress bar("compare " + spec.base.name, comparison_work(spec), order.progress);
    KeptRuns kept(ledger, "");
    run.comparison = compare(
        spec, [&](double done) { bar.update(done); }, &kept);
  });
  run.ok = run.comparison.ok();
  run.explanation = explain(run.comparison);
  run.json = comparison_json(run.comparison);
  run.json["explanation"] = run.explanation;
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const diff::Scenario& scenario = spec.base.scenario;
  run.summary = {{"program", fmt::format("pithball {}", version)},
                 {"command", "compare"},
                 {"name", spec.base.name},
                 {"status", status_of(run)},
                 {"complete", true},
                 {"explanation", run.explanation},
                 {"seconds", run.seconds},
                 {"particles", scenario.model.particles()},
                 {"springs", scenario.model.springs().size()},
                 {"duration", scenario.time_step * static_cast<double>(scenario.steps)},
                 {"methods", spec.methods.size()},
                 {"time_steps", spec.time_steps},
                 {"reference", spec.reference.label},
                 {"reference_step", spec.reference_step},
                 {"threads", order.provenance.threads},
                 {"folder", order.target.string()}};
  work.finish({{"compare.json", run.json}, {"summary.json", run.summary}});
  return run;
}

}  // namespace pithball::app
