#pragma once
// Runs the real program in a folder of its own, as a user would.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace pithball::test {

namespace fs = std::filesystem;

inline std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Whether a text contains these words.
inline bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

/// The notes of a fit.json, a line each.
inline std::string notes_of(const nlohmann::json& told) {
  std::string text;
  for (const nlohmann::json& note : told["notes"]) text += note.get<std::string>() + "\n";
  return text;
}

/// The demo of the README, and its fit.
inline const std::string demo_folder = tests::in_sources("experiments/demo");
inline const std::string demo_experiment = demo_folder + "/charged-net.yaml";

/// What a run of the program left.
struct Outcome {
  int status = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out); }
};

/// An empty folder for one test, removed afterwards.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (fs::temp_directory_path() / "pithball-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Workplace() { fs::remove_all(folder_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  fs::path operator/(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  /// Runs `pithball`, or `pithball-lab` where the arguments begin with a verb of its own. Tests vary an experiment
  /// under one name: an earlier run is replaced unless the arguments say otherwise.
  Outcome run(const std::string& arguments, const std::string& before = "") const {
    static const std::set<std::string> of_lab{"study", "cases", "demos", "paper", "bench"};
    const bool lab = of_lab.count(arguments.substr(0, arguments.find(' '))) > 0;
    return run(arguments, before, lab ? tests::built_lab : tests::built_program);
  }
  Outcome run(const std::string& arguments, const std::string& before, const fs::path& program) const {
    static const std::set<std::string> making{"simulate", "fit", "scan", "compare", "check-gradient", "paper"};
    const bool replaces = making.count(arguments.substr(0, arguments.find(' '))) > 0 &&
                          arguments.find("--resume") == std::string::npos &&
                          arguments.find("--help") == std::string::npos;
    return run_as_written(arguments + (replaces ? " --overwrite" : ""), before, program);
  }
  /// `arguments` as in a shell; `before` stands in front of the program's name (environment, timeout); `program`:
  /// another copy of it.
  Outcome run_as_written(const std::string& arguments, const std::string& before = "",
                         const fs::path& program = tests::built_program) const {
    const std::string redirect =
        " >'" + (folder_ / ".out").string() + "' 2>'" + (folder_ / ".err").string() + "' </dev/null";
    const int raw = std::system(
        ("cd '" + folder_.string() + "' && " + before + " '" + program.string() + "' " + arguments + redirect).c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_text(folder_ / ".out"), read_text(folder_ / ".err")};
  }
  /// Names of everything in the folder but hidden files, sorted.
  std::string listing() const {
    std::set<std::string> sorted;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().filename().string().front() != '.') sorted.insert(entry.path().filename().string());
    std::string names;
    for (const std::string& name : sorted) names += name + " ";
    return names;
  }

 private:
  fs::path folder_;
};

/// A small experiment that runs in milliseconds, for tests to vary.
inline const char* const small_experiment = R"(name: small
system:
  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
  groups: {tip: {vertices: [2]}}
  mass: 0.1
  charge: 1 uC
  pinned: [0]
  springs:
    edges: [[0, 1], [1, 2]]
    stiffness: 10
    damping: 0.1
forces:
  - gravity: [0, 0, -9.81]
  - coulomb
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}
)";

/// `text` with one occurrence of `what` replaced; the test program ends if there is none.
inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::logic_error("no '" + what + "' in the text");
  return text.replace(at, what.size(), by);
}

/// A shell script that starts a program, waits until its run folder `parts` is there (so that it listens to signals),
/// and sends it one after a tenth of a second of the program's own processor time, however busy the machine is:
/// `sh signal.sh TERM PROGRAM …`.
inline const std::string signal_when_running = R"(signal=$1; shift
"$@" & program=$!
while [ ! -s parts.partial/run.yaml ] && kill -0 $program 2>/dev/null; do sleep 0.02; done
used() { awk '$3 == "Z" {exit 1} {print $14}' /proc/$program/stat 2>/dev/null; }
begun=$(used) || begun=0
while now=$(used) && [ "$now" -lt $((begun + 10)) ]; do sleep 0.02; done
kill -$signal $program 2>/dev/null
wait $program
)";

}  // namespace pithball::test
