#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/run_folder/run_folder.hpp"

namespace pithball::app {

/// Exit status of the program.
enum ExitStatus : int {
  Done = 0,
  NumbersFailed = 1,  ///< it ran, but the result failed: diverged, not converged, gradient check failed
  InputWrong = 2,     ///< usage, YAML, mesh or recording: nothing was written
};

/// Options that several commands share.
struct CommonOptions {
  std::string out;               ///< run folder; empty: runs/<name>
  std::vector<std::string> set;  ///< overrides path.to.key=value
  int threads = 0;               ///< 0: all processors
  bool json = false;             ///< print only one JSON object on standard output
  bool quiet = false;            ///< print errors only
  EarlierRun earlier = {};       ///< `--resume`, `--overwrite`
  bool report = false;           ///< write report.html into the run folder
};

/// Runs a parsed command and returns an ExitStatus; throws InvalidArgument on wrong input.
using Action = std::function<int()>;

/// A command of the program: declares its options on the parser and returns the function that runs it.
struct Command {
  const char* group;                    ///< heading on the help page
  const char* name;                     ///< the word after `pithball`
  const char* summary;                  ///< one line for the help page
  Action (*declare)(CLI::App& parser);  ///< adds options to the parser of the command
};

/// The commands for users, in the order of the help page.
const std::vector<Command>& user_commands();

/// `pithball simulate`: runs an experiment forward into a run folder.
Action declare_simulate(CLI::App& parser);
/// `pithball fit`: estimates parameters from recordings.
Action declare_fit(CLI::App& parser);
/// `pithball identify`: which parameters the recordings determine, and how precisely.
Action declare_identify(CLI::App& parser);
/// `pithball diagnose`: what the model of a fit lacks, and where.
Action declare_diagnose(CLI::App& parser);
/// `pithball plan`: standard errors predicted for several designs of the recordings.
Action declare_plan(CLI::App& parser);
/// `pithball compare`: one experiment with several integrators and time steps.
Action declare_compare(CLI::App& parser);
/// `pithball check-gradient`: adjoint, tangent and finite-difference derivatives side by side.
Action declare_check_gradient(CLI::App& parser);
/// `pithball field`: field and potential of the charges on a grid or along a line.
Action declare_field(CLI::App& parser);
/// `pithball mesh`: describes or converts a mesh.
Action declare_mesh(CLI::App& parser);
/// `pithball export`: the motion of a run in another program's format.
Action declare_export(CLI::App& parser);
/// `pithball data`: lists, downloads and verifies data sets, and describes recordings.
Action declare_data(CLI::App& parser);
/// `pithball data show`: describes a recording, or its differences from another of the same trial.
Action declare_data_show(CLI::App& parser);
/// `pithball track`: the spots of a film as a table of detections.
Action declare_track(CLI::App& parser);
/// `pithball list`: names and keys that experiment files may use.
Action declare_list(CLI::App& parser);
/// `completion`, of either program: a script by which a shell completes its commands and options.
Action declare_completion(CLI::App& parser);
/// `pithball record`: a recording with noise and gaps, made by a simulation.
Action declare_record(CLI::App& parser);
/// `pithball report`: a run folder as an HTML page, with images or a video on request.
Action declare_report(CLI::App& parser);
/// `pithball scan`: a comparison at every point of a grid of values.
Action declare_scan(CLI::App& parser);
/// `pithball sweep`: a plan folder of many runs.
Action declare_sweep(CLI::App& parser);
/// `pithball run`: tasks of a plan folder.
Action declare_run(CLI::App& parser);
/// `pithball collect`: the results of a plan folder as a table and a report.
Action declare_collect(CLI::App& parser);

// The common options that a command supports.

/// `--set PATH=VALUE`, which may be repeated.
void add_set(CLI::App& parser, CommonOptions& options);
/// `--out FOLDER`, the run folder; `ending`: of its default name, "-scan".
void add_out(CLI::App& parser, CommonOptions& options, const std::string& ending = "");
/// `--threads N`.
void add_threads(CLI::App& parser, CommonOptions& options);
/// `--json` and `--quiet`.
void add_printing(CLI::App& parser, CommonOptions& options);
/// `--resume` and `--overwrite`, for commands that can continue a run.
void add_earlier(CLI::App& parser, CommonOptions& options);
/// `--resume` alone.
void add_resume(CLI::App& parser, CommonOptions& options);
/// `--overwrite` alone.
void add_overwrite(CLI::App& parser, CommonOptions& options);
/// `--report`, an HTML page at the end of the run.
void add_report(CLI::App& parser, CommonOptions& options);
/// All of a command that makes a run folder.
void add_run_options(CLI::App& parser, CommonOptions& options, const std::string& ending = "");
/// All of an analysis, which makes one only with `--out` or the options in `writing`.
void add_analysis_options(CLI::App& parser, CommonOptions& options, const std::string& ending,
                          const std::string& writing = "--report");

/// No upper limit in `number_within`: the largest finite number.
inline constexpr double any_number = std::numeric_limits<double>::max();

/// Validator: the option is a number from `least` to `most`. (CLI::Range accepts nan.)
CLI::Validator number_within(double least, double most = any_number);

/// Validator: the option is an integer from 0 to 2⁶⁴ − 1. (CLI11 takes other numbers modulo 2⁶⁴.)
CLI::Validator whole_number();

/// Applies the `--set` options of a command.
void apply_set(const CommonOptions& options, ExperimentDocument& document);

/// The experiment document of a command's FILE with its `--set` options.
ExperimentDocument load_document(const std::string& file, const CommonOptions& options);

/// Prints a note on standard error, unless quiet, if a scenario with a snapshot every `every` steps has more steps than
/// is practical: the unit of its duration or time step is probably wrong.
void note_many_steps(const CommonOptions& options, const std::string& file, const diff::Scenario& scenario,
                     Index every);

/// `--out`, or the default runs/<name>.
std::filesystem::path run_target(const CommonOptions& options, const std::string& name);

/// The run that a command starts: its folder and provenance.
RunOrder run_order(const char* command, const std::string& file, const ExperimentDocument& document,
                   const CommonOptions& options, const std::filesystem::path& target);

/// Writes the report if `--report` is given, after the run folder is complete; adds its path to the result.
void report_if_wanted(const CommonOptions& options, const std::filesystem::path& folder, nlohmann::ordered_json& json,
                      std::string& text);

/// Sets the number of threads from now on; returns that number.
int use_threads(const CommonOptions& options);

/// The vector as a list [x, y, z].
inline nlohmann::ordered_json json_vector(const sim::Vec3& v) { return {v[0], v[1], v[2]}; }

/// Prints progress messages of long work on standard error, one line each; nothing if quiet.
void (*progress_lines(const CommonOptions& options))(const std::string& what);

/// Prints the result: as JSON, or as text unless quiet.
void print_result(const CommonOptions& options, const nlohmann::ordered_json& json, const std::string& text);

/// Flushes standard output; throws std::system_error on a write error, unless the reader closed the pipe.
void flush_output();

/// Last part of a command's help.
std::string help_footer(const std::string& examples, const std::string& more = {});

}  // namespace pithball::app
