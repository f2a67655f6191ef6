#include "app/run/scan_run.hpp"

#include <fmt/format.h>

#include <chrono>

#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/run/compare_run.hpp"
#include "app/run_folder/kept_work.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// "system.charge = 6 uC, system.mass = 1".
std::string place_of(const ScanSpec& spec, const ScanCell& cell) {
  std::string text;
  for (std::size_t k = 0; k < spec.axes.size(); ++k)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", spec.axes[k].key, cell.values[k]);
  return text;
}

/// The values of a cell, before what else is told of it.
ordered_json values_of(const ScanSpec& spec, const ScanCell& cell) {
  ordered_json values = ordered_json::object();
  for (std::size_t k = 0; k < spec.axes.size(); ++k) values[spec.axes[k].key] = cell.values[k];
  return values;
}

ordered_json to_json(const ScanSpec& spec, const std::vector<Comparison>& cells) {
  ordered_json over = ordered_json::array(), rows = ordered_json::array(), references = ordered_json::array();
  for (const ScanAxis& axis : spec.axes) over.push_back({{"key", axis.key}, {"values", axis.values}});
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const ordered_json values = values_of(spec, spec.cells[k]), compared = comparison_json(cells[k]);
    ordered_json reference = values;
    reference.update(compared.at("reference"));
    if (reference.at("check").is_object()) reference["check"].erase("over_time");
    references.push_back(std::move(reference));
    for (const ordered_json& row : compared.at("rows")) {
      ordered_json own = values;
      own.update(row);
      own.erase("over_time");
      rows.push_back(std::move(own));
    }
  }
  return {{"over", over}, {"rows", rows}, {"references", references}};
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
  run.json = to_json(spec, run.cells);
  run.json["explanation"] = run.explanation;
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const CompareSpec& first = spec.cells.front().compare;
  ordered_json over = ordered_json::array();
  for (const ScanAxis& axis : spec.axes) over.push_back(axis.key);
  const char* status = !run.ok ? "reference failed" : run.explanation.empty() ? "ok" : "reference too coarse";
  run.summary = {{"program", fmt::format("pithball {}", version)},
                 {"command", "scan"},
                 {"name", spec.name},
                 {"status", status},
                 {"complete", true},
                 {"explanation", run.explanation},
                 {"seconds", run.seconds},
                 {"over", over},
                 {"points", spec.cells.size()},
                 {"methods", first.methods.size()},
                 {"time_steps", first.time_steps},
                 {"reference", first.reference.label},
                 {"reference_step", first.reference_step},
                 {"threads", order.provenance.threads},
                 {"folder", order.target.string()}};
  work.finish({{"scan.json", run.json}, {"summary.json", run.summary}});
  return run;
}

}  // namespace pithball::app
