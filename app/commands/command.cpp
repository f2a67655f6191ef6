#include "app/commands/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <system_error>

#include "app/base/json_text.hpp"
#include "app/report/report_page.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {

const std::vector<Command>& user_commands() {
  static const char *const simulating = "Simulate", *const fitting = "Fit", *const looking = "Look at results",
                           *const listing = "Meshes, recordings and what there is";
  static const std::vector<Command> all{
      {simulating, "simulate", "run forward, write a run folder", declare_simulate},
      {simulating, "record", "simulate a recording, with noise and gaps, to try a fit where the truth is known",
       declare_record},
      {simulating, "compare", "several integrators at several steps against a fine reference: errors and costs",
       declare_compare},
      {simulating, "scan", "a comparison at every point of a grid of values: how errors depend on keys", declare_scan},
      {fitting, "fit", "fit parameters to recordings, write a run folder", declare_fit},
      {fitting, "identify", "which parameters the recordings can determine, before fitting", declare_identify},
      {fitting, "plan", "predicted standard errors for experiments that are not made yet", declare_plan},
      {fitting, "check-gradient", "compare adjoint, tangent and finite differences, block by block",
       declare_check_gradient},
      {looking, "report", "one HTML page of a run: motion, energies, parameters, errors", declare_report},
      {looking, "field", "field and potential of the charges on a grid or a line, for pictures", declare_field},
      {looking, "export", "a run's motion for other programs: tables, NumPy, ParaView, Blender, LAMMPS",
       declare_export},
      {listing, "mesh", "describe or convert a mesh", declare_mesh},
      {listing, "data", "list, fetch and verify the recorded data sets", declare_data},
      {listing, "list", "what experiment files can name: integrators, forces, parameters, formats, keys", declare_list},
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

void add_out(CLI::App& parser, CommonOptions& options) {
  parser
      .add_option("--out", options.out,
                  "The run folder (default runs/<name>); what is there already is replaced or gone on with only if "
                  "asked")
      ->type_name("DIR");
}

void add_threads(CLI::App& parser, CommonOptions& options) {
  parser
      .add_option("--threads", options.threads, "Threads to use (default: all processors); results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
}

void add_printing(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--json", options.json, "Print one JSON object on standard output and nothing else there");
  parser.add_flag("--quiet", options.quiet, "Print errors only");
}

void add_earlier(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--resume", options.earlier.resume,
                  "Go on with an incomplete run of this very experiment, to the same result as an uninterrupted one; "
                  "where there is none, begin");
  add_overwrite(parser, options);
}

void add_overwrite(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--overwrite", options.earlier.overwrite,
                  "Replace an earlier run of that name; files that you put into its folder stay");
}

void add_report(CLI::App& parser, CommonOptions& options) {
  parser.add_flag("--report", options.report, "Write a page of the run into its folder, as `pithball report` does");
  parser.parse_complete_callback([&options] {
    if (options.report) find_report_template();  // complains before anything is computed
  });
}

CLI::Validator number_within(double least, double most) {
  const std::string range = most < any_number     ? fmt::format("from {:g} to {:g}", least, most)
                            : least > -any_number ? fmt::format(">= {:g}", least)
                                                  : "that is finite";
  return {[=](const std::string& text) {
            const std::optional<double> value = read_plain_number(text);
            if (value && *value >= least && *value <= most) return std::string();
            return fmt::format("must be a number {}, got '{}'", range, excerpt(text));
          },
          range};
}

CLI::Validator whole_number() {
  return {[](const std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            const bool octal = text.size() > 1 && text.front() == '0';  // to CLI11
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

ExperimentDocument load_document(const std::string& file, const CommonOptions& options) {
  std::vector<Override> overrides;
  for (const std::string& text : options.set) overrides.push_back(parse_override(text));
  return load_document(file, overrides);
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
  return [](const std::string& what) { fmt::print(stderr, "{}\n", what); };
}

void print_result(const CommonOptions& options, const nlohmann::ordered_json& json, const std::string& text) {
  if (options.json)
    fmt::print("{}\n", json_text(json));
  else if (!options.quiet)
    fmt::print("{}", printable(text));  // names in it may come from files of others
  flush_output();
}

void flush_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return;
  if (errno == EPIPE) return;  // its reader had enough, as `head` has
  throw std::system_error(errno, std::generic_category(), "cannot write to standard output");
}

std::string help_footer(const std::string& examples, const std::string& more) {
  return fmt::format(
      "{}{}Examples:\n{}\nExit status:\n  0  done\n  1  it ran and the numbers failed (diverged, not converged, check "
      "failed)\n"
      "  2  the input is wrong (usage, experiment, mesh or capture file); nothing was written",
      more, more.empty() ? "" : "\n\n", examples);
}

}  // namespace pithball::app
