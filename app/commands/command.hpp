#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/renamed_arguments.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// What the shell is told.
enum ExitStatus : int {
  Done = 0,
  NumbersFailed = 1,  ///< it ran and the numbers failed: diverged, not converged, gradient check failed
  InputWrong = 2,     ///< usage, YAML, mesh or capture: nothing was written
};

/// Options that several commands share.
struct CommonOptions {
  std::string out;               ///< run folder; empty: runs/<name>
  std::vector<std::string> set;  ///< overrides path.to.key=value
  int threads = 0;               ///< 0: as many as the machine has
  bool json = false;             ///< one JSON object on standard output and nothing else there
  bool quiet = false;            ///< nothing but errors
  EarlierRun earlier = {};       ///< `--resume`, `--overwrite`
  bool report = false;           ///< write report.html into the run folder
};

/// Runs a parsed command and returns an ExitStatus; wrong input is thrown as InvalidArgument.
using Action = std::function<int()>;

/// A command of the program: declares its options on the parser and hands back what runs it.
struct Command {
  const char* group;  ///< heading of the help page under which it stands
  const char* name;
  const char* summary;
  Action (*declare)(CLI::App& parser);
};

/// The commands of a user in the order of the help page.
const std::vector<Command>& user_commands();

/// Old names of their options, each still read.
const std::vector<RenamedArgument>& user_renamed_arguments();

Action declare_simulate(CLI::App& parser);
Action declare_fit(CLI::App& parser);
Action declare_identify(CLI::App& parser);
Action declare_plan(CLI::App& parser);
Action declare_compare(CLI::App& parser);
Action declare_check_gradient(CLI::App& parser);
Action declare_field(CLI::App& parser);
Action declare_mesh(CLI::App& parser);
Action declare_export(CLI::App& parser);
Action declare_data(CLI::App& parser);
Action declare_data_show(CLI::App& parser);  // of `data`
Action declare_list(CLI::App& parser);
Action declare_record(CLI::App& parser);
Action declare_report(CLI::App& parser);
Action declare_scan(CLI::App& parser);

// Which common options a command has.
void add_set(CLI::App& parser, CommonOptions& options);
void add_out(CLI::App& parser, CommonOptions& options);
void add_threads(CLI::App& parser, CommonOptions& options);
void add_printing(CLI::App& parser, CommonOptions& options);
void add_earlier(CLI::App& parser, CommonOptions& options);  // --resume and --overwrite
void add_resume(CLI::App& parser, CommonOptions& options);
void add_overwrite(CLI::App& parser, CommonOptions& options);
void add_report(CLI::App& parser, CommonOptions& options);

inline constexpr double any_number = std::numeric_limits<double>::max();

/// Checks that an option holds a number from `least` to `most`. (CLI::Range lets nan pass.)
CLI::Validator number_within(double least, double most = any_number);

/// Checks that an option holds a whole number from 0 to 2⁶⁴ − 1. (CLI11 takes others modulo 2⁶⁴.)
CLI::Validator whole_number();

/// Applies the `--set` options of a command; old names in them and in the document are noted on standard error.
void apply_set(const CommonOptions& options, ExperimentDocument& document);

/// The experiment document of a command's FILE with its `--set` options.
ExperimentDocument load_document(const std::string& file, const CommonOptions& options);

/// Prints a note on standard error, unless quiet, where an experiment has more steps than anybody waits for: a unit of
/// its duration or time step is probably wrong.
void note_many_steps(const CommonOptions& options, const std::string& file, const Experiment& experiment);

/// Prints a note on standard error for each old name that a document was written with, unless quiet.
void print_renamed(const CommonOptions& options, const std::vector<RenameNote>& notes);

/// `--out`, or runs/<name>.
std::filesystem::path run_target(const CommonOptions& options, const std::string& name);

/// What a command is to do: where its run goes and how it comes about.
RunOrder run_order(const char* command, const std::string& file, const ExperimentDocument& document,
                   const CommonOptions& options, const std::filesystem::path& target);

/// Does what `--report` asks once the run folder is there; adds to the result where the report is.
void report_if_wanted(const CommonOptions& options, const std::filesystem::path& folder, nlohmann::ordered_json& json,
                      std::string& text);

/// Sets the number of threads for everything that follows; returns how many there will be.
int use_threads(const CommonOptions& options);

/// [x, y, z].
inline nlohmann::ordered_json json_vector(const sim::Vec3& v) { return {v[0], v[1], v[2]}; }

/// What long work tells while it goes on, a line each on standard error; nothing if quiet.
void (*progress_lines(const CommonOptions& options))(const std::string& what);

/// Prints the result: as JSON, or as text unless quiet.
void print_result(const CommonOptions& options, const nlohmann::ordered_json& json, const std::string& text);

/// Sends off what was printed; throws std::system_error where it cannot be written, unless its reader had enough.
void flush_output();

/// The closing part of a command's help.
std::string help_footer(const std::string& examples, const std::string& more = {});

}  // namespace pithball::app
