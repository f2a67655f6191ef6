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

/// Returns 1 to OpenBLAS, which calls this for its number of threads when it is loaded, so that it starts none. The
/// program has its own threads, and those of OpenBLAS would count against a limit of memory or processes. (The
/// program's symbol takes precedence over the library's.)
extern "C" int openblas_num_threads_env() { return 1; }

namespace {

/// Keeps freed memory for later arrays: steps and tapes free memory and soon allocate as much again. By default glibc
/// would return it to the system, and getting new pages takes several times as long as filling them. Blocks above the
/// threshold are still returned at once.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_kept = 32 << 20;  // [B]; glibc's own upper limit for its dynamic threshold
  mallopt(M_MMAP_THRESHOLD, largest_kept);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

/// Prints that memory ran out, without allocating any. Returns the exit status.
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

/// Handles exceptions that cannot be caught. If memory has run out, they are not a bug: destructors of libraries
/// allocate, and so does printing another error. The program then ends as if it were killed, and run folders stay
/// intact.
[[noreturn]] void end_uncaught() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    memory_ran_out = true;  // Eigen throws it without calling the new handler
  } catch (...) {
    std::fputs("ended by an exception that nothing caught: please report it\n", stderr);
  }
  if (memory_ran_out) _exit(report_no_memory());
  std::abort();
}

/// Set before main, which already allocates.
[[maybe_unused]] const std::terminate_handler terminate_before = std::set_terminate(end_uncaught);
[[maybe_unused]] const std::new_handler new_before = std::set_new_handler(note_no_memory);

/// Opens /dev/null in place of standard streams that the shell closed: otherwise the next file opened would get the
/// number of such a stream, and printed text would end up in that file.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) != stream) _exit(InputWrong);
}

/// "'fti' is not a command, did you mean 'fit'?", or the list of known ones.
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

/// Describes the wrong usage: for an unknown command or option, more specifically than CLI11's message.
std::string usage_complaint(const CLI::App& command, std::vector<std::string> known, const CLI::ParseError& error) {
  const std::vector<std::string> words = command.remaining();
  const auto option = std::ranges::find_if(words, [](const std::string& word) { return word.starts_with("--"); });
  const bool required = error.get_name() == "RequiredError";  // reported first, even if an unknown option is the cause
  const auto unknown = std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  if (required && unknown != words.end() && !known.empty()) return unknown_word(*unknown, "a command", known);
  if ((required || error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) && option != words.end())
    return unknown_word(option->substr(0, option->find('=')), "an option", known_options(command));
  return error.what();
}

/// Prints an error as a sentence on standard error and, with `--json`, also as an object on standard output in place of
/// the result.
struct ErrorReport {
  bool json = false;  ///< `--json` was given

  /// Returns the exit status. `parts`: the parts of an input error.
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

/// Wrong usage counts as wrong input; requests for help or the version do not.
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
  if (argc <= 1) {  // without arguments: an overview
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

/// Whether the file system rejects the name itself, whatever the operation.
bool is_of_name(const std::error_code& code) {
  return code == std::errc::filename_too_long || code == std::errc::too_many_symbolic_link_levels ||
         code == std::errc::not_a_directory || code == std::errc::permission_denied;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  datasets::leave_hdf5_at_exit();
  datasets::isolate_hdf5();
  open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // then exceeding a file size limit is a write error, like a full disk
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
  } catch (const std::exception& error) {  // a full disk, or a bug of this program
    return report.print(NumbersFailed, fmt::format("{}: {}", program.name, printable(error.what())));
  }
}

}  // namespace pithball::app
