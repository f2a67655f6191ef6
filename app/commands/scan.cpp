#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/commands/command.hpp"
#include "app/run/scan_run.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

std::string number(const ordered_json& value) {
  return value.is_number() ? fmt::format("{:.3g}", value.get<double>()) : "-";
}

/// The table for people.
std::string text_of(const ScanRun& run, const ScanSpec& spec) {
  std::string text = fmt::format("{}: {} points, {} runs, in {:.3g} s\n\n", spec.name, spec.cells.size(),
                                 run.json.at("rows").size(), run.seconds);
  for (const ScanAxis& axis : spec.axes) text += fmt::format("{:<26}", axis.key);
  text += fmt::format("{:<16} {:>9} {:>12} {:>12} {:>12}\n", "method", "step [s]", "energy error", "std. dev.",
                      "position [m]");
  for (const ordered_json& row : run.json.at("rows")) {
    for (const ScanAxis& axis : spec.axes) text += fmt::format("{:<26}", row.at(axis.key).get<std::string>());
    text +=
        fmt::format("{:<16} {:>9} {:>12} {:>12} {:>12}{}\n", row.at("method").get<std::string>(),
                    number(row.at("time_step")), number(row.at("energy_error").at("mean")),
                    number(row.at("energy_error").at("standard_deviation")), number(row.at("position_error").at("rms")),
                    row.at("status") == "ok" ? "" : "  " + row.at("status").get<std::string>());
  }
  if (!run.explanation.empty()) text += "\n  " + run.explanation + "\n";
  return text;
}

int run_scan_command(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const ScanSpec spec = read_scan(document);
  const std::filesystem::path target = run_target(options, spec.name + "-scan");
  const ScanRun run = run_scan(spec, run_order("scan", file, document, options, target));
  ordered_json json = run.summary;
  json["scan"] = run.json;
  std::string text = text_of(run, spec) + fmt::format("  written to {}\n", target.string());
  report_if_wanted(options, target, json, text);
  print_result(options, json, text);
  if (!run.ok && !options.quiet) fmt::print(stderr, "{}: {}\n", file, run.explanation);
  return run.ok ? Done : NumbersFailed;
}

}  // namespace

Action declare_scan(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  parser
      .add_option("FILE", *file, "The experiment file, with a section `scan:` that says which keys take which values")
      ->required()
      ->type_name("FILE.yaml");
  parser
      .add_option(
          "--out", options->out,
          "The run folder (default runs/<name>-scan); what is there already is replaced or gone on with only if asked")
      ->type_name("DIR");
  add_earlier(parser, *options);
  add_set(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  add_report(parser, *options);
  parser.footer(help_footer(
      "  pithball scan experiments/paper/figure_14.yaml --report\n"
      "  pithball scan torus.yaml --set 'scan.over={system.charge: [3 uC, 6 uC, 12 uC]}' --set "
      "'compare.time_steps=[0.05]'",
      "Makes the comparison of `compare:` (see `pithball compare --help`) for every combination of the values in\n"
      "`scan.over`: how errors depend on one or two keys of the experiment. Each point has a reference of its own, "
      "which\n"
      "is checked at half its step. A run that diverges is a result like any other; only a reference that fails is a\n"
      "failure. Writes run.yaml, scan.json and summary.json into the run folder. A scan that was killed or interrupted "
      "has kept\n"
      "its runs: `--resume` makes only the others."));
  return [=] { return run_scan_command(*file, *options); };
}

}  // namespace pithball::app
