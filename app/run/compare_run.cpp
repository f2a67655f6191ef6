#include "app/run/compare_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/run_folder.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {
namespace {

RunFigures figures_of(const ComparedRun& compared) {
  const SampledRun& run = compared.run;
  return {.method = compared.method,
          .time_step = compared.time_step,
          .status = sim::to_string(run.status.status),
          .steps = run.status.step,
          .seconds = run.seconds,
          .compile_seconds = run.compile_seconds.value_or(not_known),
          .force_evaluations = run.cost.force_evaluations,
          .coulomb_evaluations = run.coulomb.sums + run.coulomb.products,
          .linear_solves = run.cost.linear_solves,
          .cg_iterations = run.cost.cg_iterations,
          .capped_substeps = run.cost.capped_substeps};
}

MeasuredRun measured_run(const ComparedRun& compared) {
  const Deviation& deviation = compared.deviation;
  return {.run = figures_of(compared),
          .energy_mean = deviation.energy_mean,
          .energy_standard_deviation = deviation.energy_standard_deviation,
          .energy_max = deviation.energy_max,
          .position = deviation.position,
          .position_relative = deviation.position_relative,
          .over_time = ErrorsOverTime{deviation.time, deviation.energy_error, deviation.position_error}};
}

optim::RunStatus status_of(const CompareRun& run) {
  if (!run.ok) return optim::RunStatus::ReferenceFailed;
  return run.explanation.empty() ? optim::RunStatus::Ok : optim::RunStatus::ReferenceTooCoarse;
}

}  // namespace

CompareRecord record_of(const Comparison& comparison) {
  CompareRecord record;
  record.backends = comparison.backends;
  record.reference.run = figures_of(comparison.reference);
  if (comparison.reference.run.status.ok()) record.reference.check = measured_run(comparison.check);
  if (comparison.ok()) record.reference.fine_enough = comparison.reference_is_fine();
  record.spacing = comparison.spacing;
  record.energy_scale = to_string(comparison.scaled_by);
  record.scale_energy = comparison.energy_scale;
  record.largest_displacement = comparison.largest_displacement;
  record.smallest_energy_error = comparison.smallest_energy_error();
  record.smallest_position_error = comparison.smallest_position_error();
  for (const ComparedRun& row : comparison.rows) record.rows.push_back(measured_run(row));
  record.explanation = explain(comparison);
  return record;
}

std::string explain(const Comparison& comparison) {
  for (const ComparedRun* run : {&comparison.reference, &comparison.check}) {
    const diff::RolloutStatus& status = run->run.status;
    if (!status.ok())
      return fmt::format(
          "the reference, {} at {:g} s, {} at step {}: no reference to compare with; give compare.reference a smaller "
          "time_step or another integrator",
          run->method, run->time_step, status.status == sim::StepStatus::Diverged ? "diverged" : "did not converge",
          status.step);
  }
  if (comparison.reference_is_fine()) return "";
  std::vector<std::string> changes;
  if (!comparison.has_fine_energies())
    changes.push_back(fmt::format("the energy by {:.2g} (mean), where the smallest error is {:.2g}",
                                  comparison.check.deviation.energy_mean, comparison.smallest_energy_error()));
  if (!comparison.has_fine_positions())
    changes.push_back(fmt::format("positions by {:.2g} m, where the smallest error is {:.2g} m",
                                  comparison.check.deviation.position, comparison.smallest_position_error()));
  return fmt::format(
      "the reference is not fine enough: halving its step changes {}; it must be at most a tenth of that error: reduce "
      "compare.reference.time_step",
      fmt::join(changes, ", and "));
}

CompareRun run_comparison(const CompareSpec& spec, const RunOrder& order) {
  using Clock = std::chrono::steady_clock;
  RunFolder::check(order.target, order.earlier);
  const Clock::time_point start = Clock::now();
  const Interruption interruption;  // so that other programs are ended with this one
  KeptWork work(order, spec.filled);
  CompareRun run;
  work.make([&](optim::Ledger& ledger) {
    Progress bar("compare " + spec.base.name, comparison_work(spec), order.progress);
    KeptRuns kept(ledger, "");
    run.comparison = compare(
        spec, [&](double done) { bar.update(done); }, &kept);
  });
  run.ok = run.comparison.ok();
  run.record = record_of(run.comparison);
  run.explanation = run.record.explanation;
  run.summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const diff::Scenario& scenario = spec.base.scenario;
  run.summary.program = fmt::format("pithball {}", version);
  run.summary.command = "compare";
  run.summary.name = spec.base.name;
  run.summary.status = to_string(status_of(run));
  run.summary.threads = order.provenance.threads;
  run.summary.folder = order.target.string();
  run.outcome = {.explanation = run.explanation,
                 .particles = scenario.model.particles(),
                 .springs = scenario.model.springs().size(),
                 .duration = scenario.time_step * scenario.steps,
                 .methods = spec.methods.size(),
                 .time_steps = spec.time_steps,
                 .reference = spec.reference.label,
                 .reference_step = spec.reference_step};
  work.finish({{"compare.json", to_json(run.record)}, {"summary.json", to_json(run.summary, run.outcome)}});
  return run;
}

namespace {

/// "system.charge = 6 uC, system.mass = 1".
std::string place_of(const ScanSpec& spec, const ScanCell& cell) {
  std::string text;
  for (std::size_t k = 0; k < spec.axes.size(); ++k)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", spec.axes[k].key, cell.values[k]);
  return text;
}

/// Returns the content of scan.json: the comparisons of all cells, without errors over time, which would be too large.
ScanRecord scan_record_of(const ScanSpec& spec, const std::vector<Comparison>& cells) {
  ScanRecord record;
  record.over = spec.axes;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    CompareRecord compared = record_of(cells[k]);
    if (compared.reference.check) compared.reference.check->over_time.reset();
    record.references.push_back({spec.cells[k].values, std::move(compared.reference)});
    for (MeasuredRun& row : compared.rows) {
      row.over_time.reset();
      record.rows.push_back({spec.cells[k].values, std::move(row)});
    }
  }
  return record;
}

}  // namespace

ScanRun run_scan(const ScanSpec& spec, const RunOrder& order) {
  using Clock = std::chrono::steady_clock;
  RunFolder::check(order.target, order.earlier);
  const Clock::time_point start = Clock::now();
  const Interruption interruption;
  double total = 0, before = 0;
  for (const ScanCell& cell : spec.cells) total += comparison_work(cell.compare);
  ScanRun run;
  run.ok = true;
  KeptWork work(order, spec.filled);
  work.make([&](optim::Ledger& ledger) {
    Progress bar("scan " + spec.name, total, order.progress);
    for (const ScanCell& cell : spec.cells) {
      KeptRuns kept(ledger, place_of(spec, cell));
      run.cells.push_back(compare(
          cell.compare, [&](double done) { bar.update(before + done); }, &kept));
      before += comparison_work(cell.compare);
      run.ok = run.ok && run.cells.back().ok();
      if (const std::string trouble = explain(run.cells.back()); !trouble.empty())
        run.explanation +=
            fmt::format("{}at {}: {}", run.explanation.empty() ? "" : "; ", place_of(spec, cell), trouble);
    }
  });
  run.record = scan_record_of(spec, run.cells);
  run.record.explanation = run.explanation;
  const CompareSpec& first = spec.cells.front().compare;
  run.summary.program = fmt::format("pithball {}", version);
  run.summary.command = "scan";
  run.summary.name = spec.name;
  run.summary.status = to_string(!run.ok                   ? optim::RunStatus::ReferenceFailed
                                 : run.explanation.empty() ? optim::RunStatus::Ok
                                                           : optim::RunStatus::ReferenceTooCoarse);
  run.summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  run.summary.threads = order.provenance.threads;
  run.summary.folder = order.target.string();
  run.outcome = {.explanation = run.explanation,
                 .over = {},
                 .points = spec.cells.size(),
                 .methods = first.methods.size(),
                 .time_steps = first.time_steps,
                 .reference = first.reference.label,
                 .reference_step = first.reference_step};
  for (const ScanAxis& axis : spec.axes) run.outcome.over.push_back(axis.key);
  work.finish({{"scan.json", to_json(run.record)}, {"summary.json", to_json(run.summary, run.outcome)}});
  return run;
}

}  // namespace pithball::app
