#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/compare_run.hpp"

namespace pithball::app {
namespace {

std::string short_number(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-"; }

/// Returns the table as text.
std::string text_of(const ScanRun& run, const ScanSpec& spec) {
  std::string text = fmt::format("{}: {} points, {} runs, in {:.3g} s\n\n", spec.name, spec.cells.size(),
                                 run.record.rows.size(), run.summary.seconds);
  for (const ScanAxis& axis : spec.axes) text += fmt::format("{:<26}", axis.key);
  text += fmt::format("{:<16} {:>9} {:>12} {:>12} {:>12}\n", "method", "step [s]", "energy error", "std. dev.",
                      "position [m]");
  for (const ScanRow& row : run.record.rows) {
    const MeasuredRun& measured = row.run;
    for (const std::string& value : row.values) text += fmt::format("{:<26}", value);
    text +=
        fmt::format("{:<16} {:>9} {:>12} {:>12} {:>12}{}\n", measured.run.method, short_number(measured.run.time_step),
                    short_number(measured.energy_mean), short_number(measured.energy_standard_deviation),
                    short_number(measured.position), measured.run.ok() ? "" : "  " + measured.run.status);
  }
  if (!run.explanation.empty()) text += "\n  " + run.explanation + "\n";
  return text;
}

int run_scan_command(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const ScanSpec spec = read_scan(document);
  const auto steps = [](const ScanCell& cell) { return cell.compare.base.scenario.steps; };
  const Experiment& longest = std::ranges::max_element(spec.cells, {}, steps)->compare.base;
  note_many_steps(options, file, longest.scenario, longest.every);
  const std::filesystem::path target = run_target(options, spec.name + "-scan");
  const ScanRun run = run_scan(spec, run_order("scan", file, document, options, target));
  nlohmann::ordered_json json = to_json(run.summary, run.outcome);
  json["scan"] = to_json(run.record);
  std::string text = text_of(run, spec) + fmt::format("  written to {}\n", target.string());
  report_if_wanted(options, target, json, text);
  print_result(options, json, text);
  if (!run.ok && !options.quiet) print_message("{}: {}\n", file, run.explanation);
  return run.ok ? Done : NumbersFailed;
}

}  // namespace

Action declare_scan(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "The experiment file, with a section `scan:` that gives the keys and their values")
      ->required()
      ->type_name("FILE.yaml");
  add_run_options(parser, *options, "-scan");
  parser.footer(help_footer(
      "  pithball scan experiments/paper/figure_14.yaml --report\n"
      "  pithball scan torus.yaml --set 'scan.over={system.charge: [3 uC, 6 uC, 12 uC]}' --set "
      "'compare.time_steps=[0.05]'",
      "Repeats the comparison of `compare:` (see `pithball compare --help`) for every combination of the values in\n"
      "`scan.over`, to show how errors depend on one or two keys of the experiment. Each point has its own reference, "
      "which\n"
      "is checked at half its step. A diverged run is reported and is not an error; only a failed reference is.\n"
      "Writes run.yaml, scan.json and summary.json into the run folder. After an interruption, `--resume` repeats "
      "only\n"
      "the runs that were not completed."));
  return [=] { return run_scan_command(*file, *options); };
}

}  // namespace pithball::app
