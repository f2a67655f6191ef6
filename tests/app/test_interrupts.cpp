// Ctrl-C: each command ends within a second of processor time, and keeps what it has done.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <regex>
#include <set>
#include <thread>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using namespace pithball::test;

namespace {

/// A program that was interrupted.
struct Interrupted {
  bool was_running = false;  ///< when the signal came
  double seconds = 0;        ///< of processor time from the signal to the end
  int threads = 0;           ///< when the signal came
  std::string err;
};

double seconds(const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec; }

/// Processor time of a process so far [s].
double used_by(pid_t process) {
  std::istringstream stat(read_text("/proc/" + std::to_string(process) + "/stat"));
  std::string word;
  double ticks = 0;
  for (int k = 1; k <= 15 && stat >> word; ++k)  // the name, the second one, has no blank
    if (k >= 14) ticks += std::stod(word);
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

int threads_of(pid_t process) {
  for (const std::string& line : lines_of(read_text("/proc/" + std::to_string(process) + "/status")))
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  return 0;
}

/// Starts the program, on one thread, and interrupts it after so much processor time, counted from when one of the
/// files is there by which it says that it keeps what it does; none: from its start.
Interrupted interrupt(const Workplace& place, const std::string& arguments, double after,
                      const std::vector<std::string>& signs = {}) {
  const std::string line = "exec '" + std::string(pithball::tests::built_program) + "' " + arguments +
                           " --threads 1 >.out 2>.err </dev/null";
  const std::string folder = (place / "").string();
  const pid_t process = fork();
  if (process == 0) {
    if (chdir(folder.c_str()) == 0) execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  Interrupted end;
  int status = 0;
  rusage used{};
  double before = 0, begun = 0;
  const auto has_begun = [&] {
    return signs.empty() ||
           std::ranges::any_of(signs, [&](const std::string& sign) { return fs::exists(place / sign); });
  };
  bool runs = true;
  while (runs && ((before = used_by(process)) < begun + after || !has_begun())) {
    if (!has_begun()) begun = before;
    runs = wait4(process, &status, WNOHANG, &used) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  end.was_running = runs;
  end.threads = threads_of(process);
  if (end.was_running) {
    kill(process, SIGINT);
    wait4(process, &status, 0, &used);
  }
  end.seconds = seconds(used.ru_utime) + seconds(used.ru_stime) - before;
  end.err = read_text(place / ".err");
  return end;
}

/// What each command that may take long is asked for; all but `diagnose` need minutes.
const std::map<std::string, std::string>& long_work() {
  static const std::string short_step = demo_experiment + " --set 'simulation.time_step=0.02 ms'";
  static const std::map<std::string, std::string> work{
      {"simulate", "simulate long.yaml --out kept --quiet"},
      {"record", "record long.yaml --rate 100 --out kept.csv --quiet"},
      {"compare", "compare long.yaml --out kept --quiet"},
      {"scan", "scan long.yaml --out kept --quiet"},
      {"fit", "fit " + demo_experiment + " --set 'simulation.time_step=0.5 ms' --out kept --quiet"},
      {"identify", "identify " + short_step},
      {"plan", "plan " + short_step},
      {"check-gradient", "check-gradient " + short_step + " --set simulation.duration=5"},
      {"run", "run plan --quiet"},
  };
  return work;
}

/// Those that keep nothing and end by the signal itself, wherever they are, because they never take it over.
const std::set<std::string> that_end_at_once{"diagnose", "sweep", "collect", "report",     "field", "export",
                                             "mesh",     "data",  "list",    "completion", "track"};

void prepare(const Workplace& place) {
  place.write("long.yaml", replaced(std::string(small_experiment), "duration: 0.2", "duration: 1e6") +
                               "scan: {over: {system.mass: [0.1, 0.2]}}\nsweep: {grid: {system.mass: [0.1, 0.2]}}\n");
  REQUIRE(place.run_as_written("sweep long.yaml --out plan --quiet").status == 0);
}

void require_prompt_end(const Workplace& place, const std::string& command) {
  CAPTURE(command);
  static const std::set<std::string> keeps_nothing{"identify", "plan", "check-gradient"};
  const std::vector<std::string> signs =
      keeps_nothing.contains(command)
          ? std::vector<std::string>{}
          : std::vector<std::string>{"kept.partial/run.yaml", "kept.csv.record.partial/trajectory.h5",
                                     "plan/claims/0000000"};
  const Interrupted end = interrupt(place, long_work().at(command), 0.3, signs);
  CAPTURE(end.err);
  REQUIRE(end.was_running);
  CHECK(end.seconds < 1);
  CHECK(end.threads == 1);  // none of a library beside ours
}

}  // namespace

TEST_CASE("interrupts: simulations, fits and sweeps end within a second, and what is done is kept",
          "[app][interrupts]") {
  const Workplace place;
  prepare(place);
  require_prompt_end(place, "simulate");
  CHECK(json::parse(read_text(place / "kept/summary.json"))["status"] == "interrupted");
  fs::remove_all(place / "kept");
  require_prompt_end(place, "fit");
  CHECK(json::parse(read_text(place / "kept/fit.json"))["status"] == "stopped");
  CHECK(!json::parse(read_text(place / "kept/fit.json"))["parameters"].empty());
  require_prompt_end(place, "run");
  CHECK(fs::is_empty(place / "plan/claims"));
}

TEST_CASE("interrupts: a signal is seen within a step, too", "[app][interrupts]") {
  const Workplace place;
  place.write("cloud.yaml", R"(name: cloud
system: {mesh: {random_cloud: {count: 150000, min: [0, 0, 0], max: [1, 1, 1]}}, mass: 1e-6, charge: 1e-12}
forces: [{coulomb: {method: direct}}]
simulation: {integrator: velocity_verlet, time_step: 1e-3, duration: 1}
)");
  const Interrupted end = interrupt(place, "simulate cloud.yaml --out kept --quiet", 1.5);  // one sum takes longer
  CAPTURE(end.err);
  REQUIRE(end.was_running);
  CHECK(end.seconds < 1);
}

TEST_CASE("interrupts: every command ends within a second", "[app][interrupts][slow]") {
  const Workplace place;
  std::smatch found;
  std::set<std::string> commands;
  for (const std::string& line : lines_of(place.run_as_written("--help").out))
    if (std::regex_match(line, found, std::regex("  ([a-z][a-z-]*)  +[a-z].*"))) commands.insert(found[1]);
  CHECK(commands.size() > 15);
  prepare(place);
  for (const std::string& command : commands) {
    CAPTURE(command);
    if (that_end_at_once.contains(command)) continue;
    REQUIRE(long_work().contains(command));  // of a new one: give it work, or say that it ends at once
    fs::remove_all(place / "kept");
    fs::remove_all(place / "kept.partial");
    require_prompt_end(place, command);
    if (command == "compare" || command == "scan") CHECK(fs::exists(place / "kept.partial/ledger.bin"));
    if (command == "record") CHECK(fs::exists(place / "kept.csv.record.partial/trajectory.h5"));
  }
}
