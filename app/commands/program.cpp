#include "app/commands/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/print_message.hpp"
#include "app/base/version.hpp"
#include "app/yaml/nearest.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {

/// What OpenBLAS asks before it starts its threads, when it is loaded: it shall start none. The program has its own,
/// and those would stand in the way under a limit of memory or processes. (The program's symbol comes before the
/// library's.)
extern "C" int openblas_num_threads_env() { return 1; }

namespace {

/// Keeps freed memory for the next arrays. Steps and tapes free memory and soon ask for as much again. glibc would give
/// it back to the system, and getting new pages costs several times what filling them does. Larger blocks are still
/// returned at once.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_kept = 32 << 20;  // [B]; the largest threshold that glibc sets by itself
  mallopt(M_MMAP_THRESHOLD, largest_kept);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// Prints that memory ran out, without asking for any. Returns the exit status.
int report_no_memory() {
  constexpr std::string_view message =
      "out of memory: close other programs, or ask for less (fewer particles, frames or threads)\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  return NumbersFailed;
}

/// Whether an allocation has failed.
std::atomic<bool> memory_ran_out = false;

[[noreturn]] void note_no_memory() {
  memory_ran_out = true;
  throw std::bad_alloc();
}

/// What happens to exceptions that nobody can catch. Where memory has run out they are no bug: destructors of libraries
/// allocate, and so does what prints another error. The program ends as if it were killed, and run folders stay whole.
[[noreturn]] void end_uncaught() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    memory_ran_out = true;  // Eigen throws it itself
  } catch (...) {
    std::fputs("ended by an exception that nothing caught: please report it\n", stderr);
  }
  if (memory_ran_out) _exit(report_no_memory());
  std::abort();
}

/// Set before main, which allocates.
[[maybe_unused]] const std::terminate_handler terminate_before = std::set_terminate(end_uncaught);
[[maybe_unused]] const std::new_handler new_before = std::set_new_handler(note_no_memory);

/// Puts /dev/null where the shell closed a standard stream: the next file that is opened would take its number, and
/// what is printed would end in that file.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) _exit(InputWrong);
}

/// "'fti' is not a command, did you mean 'fit'?", or the known ones.
std::string unknown_word(const std::string& word, const char* what, const std::vector<std::string>& known) {
  return fmt::format("'{}' is not {}, {}", excerpt(word), what, suggestion(word, known));
}

std::vector<std::string> known_commands(const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::App* sub : command.get_subcommands({})) known.push_back(sub->get_name());
  return known;
}

std::vector<std::string> known_options(const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  return known;
}

/// What is wrong with the usage. Of a word that is no command, and of an option that is none, CLI11 says less.
std::string usage_complaint(const CLI::App& command, std::vector<std::string> known, const CLI::ParseError& error) {
  const std::vector<std::string> words = command.remaining();
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("--"); });
  const bool required = error.get_name() == "RequiredError";  // it comes first, though the option may be its cause
  const auto unknown = std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (required && unknown != words.end() && !known.empty()) return unknown_word(*unknown, "a command", known);
  if ((required || error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) && option != words.end())
    return unknown_word(option->substr(0, option->find('=')), "an option", known_options(command));
  return error.what();
}

/// How an error is printed: as a sentence on standard error, and for a program that asked for JSON also as an object on
/// standard output, in place of the result.
struct ErrorReport {
  bool json = false;  ///< `--json` was given

  /// Returns the exit status. `parts`: of an error in the input.
  int print(ExitStatus status, const std::string& message, const InvalidArgument::Parts& parts = {}) const {
    print_message("{}\n", message);
    if (!json) return status;
    const nlohmann::ordered_json object{{"status", status == InputWrong ? "invalid input" : "failed"},
                                        {"exit_status", static_cast<int>(status)},
                                        {"error",
                                         {{"message", message},
                                          {"where", text_or_null(parts.where)},
                                          {"what", text_or_null(parts.what)},
                                          {"required", text_or_null(parts.required)},
                                          {"got", text_or_null(parts.got)},
                                          {"remedy", text_or_null(parts.remedy)}}}};
    std::puts(json_text(object).c_str());
    return status;
  }
};

/// Wrong usage is wrong input; asking for help or the version is not.
int report_usage(const Program& program, const CLI::App& parser, const CLI::ParseError& error,
                 const ErrorReport& report) {
  if (error.get_exit_code() == 0) return parser.exit(error);
  const CLI::App* command = &parser;
  std::string name = parser.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  std::vector<std::string> known = known_commands(*command);
  if (command == &parser) known.insert(known.end(), program.elsewhere.begin(), program.elsewhere.end());
  const std::string complaint = printable(usage_complaint(*command, std::move(known), error));
  return report.print(InputWrong, fmt::format("{}: {}; run `{} --help`", name, complaint, name));
}

int run(const Program& program, int argc, char** argv, const ErrorReport& report) {
  CLI::App parser{program.summary};
  parser.name(program.name);
  parser.set_version_flag("--version", std::string(program.name) + " " + version);
  parser.require_subcommand(1);
  parser.footer(help_footer(program.examples));
  std::vector<std::pair<CLI::App*, Action>> actions;
  for (const Command& command : program.commands) {
    CLI::App* sub = parser.add_subcommand(command.name, command.summary)->group(command.group);
    actions.emplace_back(sub, command.declare(*sub));
  }
  if (argc <= 1) {  // a look at what there is
    fmt::print("{}", parser.help());
    return Done;
  }
  try {
    parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(program, parser, error, report);
  }
  for (const auto& [sub, action] : actions)
    if (sub->parsed()) return action();
  return InputWrong;
}

/// Whether the file system rejects a name whatever is done with it.
bool is_of_name(const std::error_code& code) {
  return code == std::errc::filename_too_long || code == std::errc::too_many_symbolic_link_levels ||
         code == std::errc::not_a_directory || code == std::errc::permission_denied;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  datasets::leave_hdf5_at_exit();
  datasets::isolate_hdf5();
  open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit of the size of files is a write error like a full disk
  announce_termination();
  keep_freed_memory();
  const ErrorReport report{std::any_of(argv, argv + argc, [](std::string_view word) { return word == "--json"; })};
  try {
    const int status = run(program, argc, argv, report);
    flush_output();
    return status;
  } catch (const std::bad_alloc&) {
    return report_no_memory();
  } catch (const InvalidArgument& error) {
    return report.print(InputWrong, error.what(), error.parts());
  } catch (const std::filesystem::filesystem_error& error) {
    return report.print(is_of_name(error.code()) ? InputWrong : NumbersFailed,
                        fmt::format("{}: {}", printable(error.path1().string()), error.code().message()));
  } catch (const std::exception& error) {  // a full disk, our own bug
    return report.print(NumbersFailed, fmt::format("{}: {}", program.name, printable(error.what())));
  }
}

}  // namespace pithball::app
