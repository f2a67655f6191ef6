#include "app/run/scan_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/compare_run.hpp"
#include "app/run_folder/kept_work.hpp"
#include "optim/verdict/run_status.hpp"

namespace pithball::app {
namespace {

/// "system.charge = 6 uC, system.mass = 1".
std::string place_of(const ScanSpec& spec, const ScanCell& cell) {
  std::string text;
  for (std::size_t k = 0; k < spec.axes.size(); ++k)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", spec.axes[k].key, cell.values[k]);
  return text;
}

/// scan.json of the comparisons of all cells, without errors over time, which would be too much.
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
