#include "experiments/backend/lammps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>

#include "datasets/text_scan.hpp"
#include "experiments/backend/lammps_dump.hpp"
#include "experiments/export/lammps_system.hpp"
#include "experiments/process/child_process.hpp"
#include "experiments/process/temporary_folder.hpp"
#include "experiments/run/interruption.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

namespace fs = std::filesystem;

/// The job as the export sees it: a motion of one state.
ExportedMotion motion_of(const BackendJob& job) {
  return {.name = "pithball",
          .model = *job.model,
          .faces = {},
          .step = {0},
          .states = {job.start},
          .integrator = "velocity_verlet",
          .time_step = job.time_step,
          .last_step = job.wanted.back()};
}

/// The rest of the first line of `text` in which `mark` stands; empty where it stands nowhere.
std::string after(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return std::string(datasets::trim(std::string_view(text).substr(begin, text.find('\n', begin) - begin)));
}

/// A number that LAMMPS printed after `mark`, before or after bars; 0 where it printed none.
double number_after(const std::string& text, const std::string& mark) {
  const std::string rest = after(text, mark);
  for (const std::string_view word : datasets::split_words(rest))
    if (word != "|") return datasets::parse_number(word).value_or(0);
  return 0;
}

/// What LAMMPS says when a motion has run away; everything else is a failure of its own.
bool tells_of_divergence(const std::string& error) {
  static const std::array<const char*, 5> words{"Lost atoms", "missing on proc", "Non-numeric", "simulation unstable",
                                                "Out of range atoms"};
  for (const char* each : words)
    if (error.find(each) != std::string::npos) return true;
  return false;
}

class Lammps final : public Backend {
 public:
  explicit Lammps(fs::path program) : program_(std::move(program)) {
    ChildProcess asked({program_.string(), "-h"}, {STDOUT_FILENO}, 60);
    std::string help;
    for (std::string part = asked.read(); !part.empty(); part = asked.read()) help += part;
    const std::string version = after(help, "Massively Parallel Simulator - ");
    if (version.empty())
      throw InvalidArgument({program_.string(), "", "must be LAMMPS",
                             "a program that does not say so when asked for -h",
                             "name another one by PITHBALL_LAMMPS"});
    version_ = "LAMMPS " + version;
  }

 private:
  BackendOutcome do_run(const BackendJob& job, const Receiver& receive) override {
    const ExportedMotion motion = motion_of(job);
    const LammpsSystem system = lammps_system(motion);
    const TemporaryFolder folder("lammps");
    const auto write = [&](const char* name, const std::string& text) {
      std::ofstream file(folder.path() / name, std::ios::binary);
      if (!(file << text).flush()) throw std::runtime_error("cannot write " + (folder.path() / name).string());
    };
    // LAMMPS runs in the folder of our caller: names of files are whole, and have no blanks in need of quotes.
    const LammpsRun run{.data = quoted(folder.path() / "system.data"),
                        .steps = quoted(folder.path() / "steps"),
                        .dump = quoted(folder.path() / "motion"),
                        .last = job.wanted.back()};
    write("system.data", lammps_data(motion, system));
    write("in.pithball", lammps_run_deck(motion, system, run));
    std::string steps;
    for (const Index step : job.wanted) steps += fmt::format("{}\n", step);
    write("steps", steps + fmt::format("{}\n", job.wanted.back() + 1));  // LAMMPS asks for one more

    BackendOutcome outcome;
    const std::string said = listen(folder.path() / "in.pithball", outcome);
    LammpsDump dump(folder.path() / "motion", job.model->particles());
    const LammpsBox box = lammps_box(motion, system);
    for (Points x, v; dump.read(x, v);) {
      if (is_out_of_reach(x, system, lammps_reach * box.side)) {
        outcome.status = sim::StepStatus::Diverged;
        return outcome;
      }
      receive(x, v);
    }
    outcome.seconds = number_after(said, "Loop time of") - number_after(said, "\nOutput");
    return outcome;
  }

  /// Lets LAMMPS run the deck and returns what it printed.
  std::string listen(const fs::path& deck, BackendOutcome& outcome) const {
    std::string said;
    ChildProcess lammps({program_.string(), "-in", deck.string(), "-log", "none"}, {STDOUT_FILENO}, backend_patience);
    try {
      for (std::string part = lammps.read(); !part.empty(); part = lammps.read()) said += part;
      if (lammps.finish() == 0) return said;
    } catch (const std::runtime_error&) {
      if (!Interruption::flag()) throw;
      outcome.interrupted = true;
      return said;
    }
    const std::string error = after(said, "ERROR");
    if (!tells_of_divergence(error)) throw std::runtime_error("LAMMPS failed: " + (error.empty() ? said : error));
    outcome.status = sim::StepStatus::Diverged;
    outcome.step = static_cast<Index>(number_after(error, "at step"));  // of some errors it tells the step
    return said;
  }

  static std::string quoted(const fs::path& file) { return '"' + file.string() + '"'; }

  /// Whether charges may be so far apart that LAMMPS leaves pairs out; false where a position is not finite.
  static bool is_out_of_reach(const Points& x, const LammpsSystem& system, double reach) {
    sim::Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
    for (const RestingCharge& charge : system.frozen) {
      low = low.cwiseMin(charge.position);
      high = high.cwiseMax(charge.position);
    }
    return system.has_charge_pairs() && (high - low).norm() > reach;
  }

  fs::path program_;
};

std::unique_ptr<Backend> start_lammps() {
  return std::make_unique<Lammps>(
      find_program({{"lmp"}, "PITHBALL_LAMMPS", "lammps", "backend lammps: the molecular dynamics program LAMMPS"}));
}

}  // namespace

BackendInfo lammps_backend() {
  return {"lammps", "LAMMPS", "LAMMPS (`lmp` on PATH, or PITHBALL_LAMMPS), one process", false, start_lammps};
}

}  // namespace pithball::experiments
