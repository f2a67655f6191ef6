#include "app/commands/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <system_error>

#include "app/base/json_text.hpp"
#include "app/base/print_message.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/report/report_page.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {

const std::vector<Command>& user_commands() {
  static const char *const simulating = "Simulate", *const fitting = "Fit", *const many = "Many runs",
                           *const looking = "Results", *const listing = "Meshes, recordings and lists";
  static const std::vector<Command> all{
      {simulating, "simulate", "run a simulation and write a run folder", declare_simulate},
      {simulating, "record", "simulate a recording, with noise and gaps, to test a fit with known true values",
       declare_record},
      {simulating, "compare", "compare integrators and time steps with a fine reference: errors and run times",
       declare_compare},
      {simulating, "scan", "repeat a comparison over a grid of values: how errors depend on keys", declare_scan},
      {fitting, "fit", "fit parameters to recordings and write a run folder", declare_fit},
      {fitting, "identify", "report which parameters are identifiable, before a fit", declare_identify},
      {fitting, "diagnose", "say what the model of a fit lacks, and where", declare_diagnose},
      {fitting, "plan", "predict standard errors of planned experiments", declare_plan},
      {fitting, "check-gradient", "compare adjoint, tangent and finite-difference derivatives", declare_check_gradient},
      {many, "sweep", "plan many runs: grids, Latin hypercubes, seeds, starts, bootstrap draws, recordings",
       declare_sweep},
      {many, "run", "do tasks of a planned sweep, on any number of machines", declare_run},
      {many, "collect", "make one table and one report of a sweep", declare_collect},
      {looking, "report", "write one HTML page of a run: motion, energies, parameters, errors", declare_report},
      {looking, "field", "compute field and potential of the charges on a grid or a line", declare_field},
      {looking, "export", "convert the motion of a run: tables, NumPy, ParaView, Blender, LAMMPS", declare_export},
      {listing, "mesh", "describe or convert a mesh", declare_mesh},
      {listing, "data", "list, download and verify the data sets; describe recordings", declare_data},
      {listing, "track", "find the spots of a film: a table of detections, with errors", declare_track},
      {listing, "list", "list what an experiment file can contain: integrators, forces, parameters, formats, keys",
       declare_list},
      {listing, "completion", "print a script that lets the shell complete commands and options", declare_completion},
  };
  return all;
}

void add_set(CLI::App& parser, CommonOptions& options) {
  parser
      .add_option("--set", options.set, "Change a key of the file before it is read: --set system.mass=2 (repeatable)")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_out(CLI::App& parser, CommonOptions& options, const std::string& ending) {
  parser
      .add_option("--out", options.out,
                  "The run folder (default runs/<name>" + ending +
                      "); an existing run is kept unless --overwrite or --resume is given")
      ->type_name("DIR");
}

void add_run_options(CLI::App& parser, CommonOptions& options, const std::string& ending) {
  add_out(parser, options, ending);
  add_set(parser, options);
  add_threads(parser, options);
  add_printing(parser, options);
  add_earlier(parser, options);
  add_report(parser, options);
}

void add_analysis_options(CLI::App& parser, CommonOptions& options, const std::string& ending,
                          const std::string& writing) {
  parser
      .add_option("--out", options.out,
                  "Write the result to this run folder (with " + writing + " alone: runs/<name>" + ending +
                      "); otherwise no files are written")
      ->type_name("DIR");
  add_overwrite(parser, options);
  add_report(parser, options);
  add_set(parser, options);
  add_threads(parser, options);
  add_printing(parser, options);
}

void add_threads(CLI::App& parser, CommonOptions& options) {
  parser
      .add_option("--threads", options.threads,
                  "Number of threads (default: all processors); results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

void add_printing(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--json", options.json, "Print the result as one JSON object on standard output");
  parser.add_flag("--quiet", options.quiet, "Print errors only");
}

void add_resume(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--resume", options.earlier.resume,
                  "Resume an interrupted run of the same experiment, with the same result as an uninterrupted one; "
                  "start a new run if there is none");
}

void add_earlier(CLI::App& parser, CommonOptions& options) {
  add_resume(parser, options);
  add_overwrite(parser, options);
}

void add_overwrite(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--overwrite", options.earlier.overwrite,
                  "Replace an earlier run in the same folder; files that you added to the folder are kept");
}

void add_report(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--report", options.report,
                  "Also write an HTML report into the run folder, as `pithball report` does");
  parser.parse_complete_callback([&options] {
    if (options.report) find_report_template();  // so that a missing template is an error before anything is computed
  });
}

CLI::Validator number_within(double least, double most) {
  const std::string range = most < any_number     ? fmt::format("from {:g} to {:g}", least, most)
                            : least > -any_number ? fmt::format(">= {:g}", least)
                                                  : "";  // no range to show in the help
  return {[=](const std::string& text) {
            const std::optional<double> value = read_plain_number(text);
            if (value && *value >= least && *value <= most) return std::string();
            return fmt::format("must be a {}, got '{}'", range.empty() ? "finite number" : "number " + range,
                               excerpt(text));
          },
          range};
}

CLI::Validator whole_number() {
  return {[](const std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            const bool octal = text.size() > 1 && text.front() == '0';  // CLI11 reads a leading zero as octal
            if (error == std::errc() && stop == end && !octal) return std::string();
            return fmt::format("must be a whole number from 0 to 2^64 - 1, got '{}'", excerpt(text));
          },
          "whole number"};
}

void report_if_wanted(const CommonOptions& options, const std::filesystem::path& folder, nlohmann::ordered_json& json,
                      std::string& text) {
  if (!options.report) return;
  const WrittenReport report = write_report(read_run(folder), folder / "report.html", find_report_template(), {});
  json["report"] = report.file.string();
  text += fmt::format("  report                 {}\n", report.file.string());
}

void apply_set(const CommonOptions& options, ExperimentDocument& document) {
  std::vector<Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(parse_override(text));
  apply_overrides(overrides, document);
}

ExperimentDocument load_document(const std::string& file, const CommonOptions& options) {
  ExperimentDocument document = load_document(file);
  apply_set(options, document);
  return document;
}

void note_many_steps(const CommonOptions& options, const std::string& file, const diff::Scenario& scenario,
                     Index every) {
  constexpr double many = 1e9;  // about a day at 0.1 ms per step
  const double steps = scenario.steps, snapshots = std::ceil(steps / every);
  if (options.quiet || steps <= many) return;
  print_message(
      "{}: note: simulation: {:.3g} time steps of {:g} s, with {:.3g} snapshots; check the units of `duration` "
      "and `time_step`, or increase `time_step` and `output.every`\n",
      printable(file), steps, scenario.time_step, snapshots);
}

std::filesystem::path run_target(const CommonOptions& options, const std::string& name) {
  return options.out.empty() ? std::filesystem::path("runs") / name : std::filesystem::path(options.out);
}

RunOrder run_order(const char* command, const std::string& file, const ExperimentDocument& document,
                   const CommonOptions& options, const std::filesystem::path& target) {
  return {target,
          {command, std::filesystem::absolute(file).lexically_normal().string(), options.set, use_threads(options),
           document.inputs->files()},
          options.earlier,
          !options.quiet};
}

int use_threads(const CommonOptions& options) {
  if (options.threads > 0) sim::set_max_threads(options.threads);
  return sim::max_threads();
}

void (*progress_lines(const CommonOptions& options))(const std::string&) {
  if (options.quiet) return [](const std::string&) {};
  return [](const std::string& what) { print_message("{}\n", what); };
}

void print_result(const CommonOptions& options, const nlohmann::ordered_json& json, const std::string& text) {
  if (options.json)
    fmt::print("{}\n", json_text(json));
  else if (!options.quiet)
    fmt::print("{}", printable(text));  // names in it may come from foreign files
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  if (errno == EPIPE) return;  // the reader closed the pipe, like `head`
  throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
}

std::string help_footer(const std::string& examples, const std::string& more) {
  return fmt::format(
      "{}{}Examples:\n"
      "{}\n"
      "Exit status:\n"
      "  0  done\n"
      "  1  numerical failure: diverged, not converged, or a check failed\n"
      "  2  invalid input (command line, experiment file, mesh or recording); nothing was written",
      more, more.empty() ? "" : "\n\n", examples);
}

}  // namespace pithball::app
