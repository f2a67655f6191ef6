#include "app/backend/lammps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "app/backend/backend.hpp"
#include "app/backend/lammps_system.hpp"
#include "app/base/child_process.hpp"
#include "app/base/interruption.hpp"
#include "app/base/new_file.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

/// Reads the states of a LAMMPS text dump, `id x y z vx vy vz` sorted by id, one after the other.
class LammpsDump {
 public:
  /// `particles`: number in each state. A missing file is treated as one without states.
  LammpsDump(const std::filesystem::path& file, sim::Index particles) : in_(file), particles_(particles) {}
  /// Reads positions [m] and velocities [m/s] of the next state, 3×N; returns false after the last complete one. Throws
  /// std::runtime_error if the file contains anything else.
  bool read(sim::Points& x, sim::Points& v);

 private:
  std::ifstream in_;
  sim::Index particles_;
  std::string line_;
};

std::filesystem::path find_lammps() {
  return find_program({{"lmp"}, "PITHBALL_LAMMPS", "lammps", "backend lammps: the molecular dynamics program LAMMPS"});
}

std::string LammpsOutput::after(const std::string& mark) const {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + mark.size();
  return std::string(datasets::trim(std::string_view(text).substr(begin, text.find('\n', begin) - begin)));
}

double LammpsOutput::number_after(const std::string& mark) const {
  const std::string rest = after(mark);
  for (const std::string_view word : datasets::split_words(rest))
    if (word != "|") return datasets::parse_number(word).value_or(0);
  return 0;
}

void run_lammps(const std::filesystem::path& program, const std::filesystem::path& deck, LammpsOutput& output) {
  // MPI, on which LAMMPS stands, now and then fails to start beside another program that starts: such a run prints
  // nothing, has done nothing, and is made once more.
  for (const bool is_last : {false, true}) {
    ChildProcess lammps({program.string(), "-in", deck.string(), "-log", "none"}, {STDOUT_FILENO}, backend_patience);
    for (std::string part = lammps.read(); !part.empty(); part = lammps.read()) output.text += part;
    const int status = lammps.finish();
    output.ok = status == 0;
    if (output.ok || !output.text.empty()) return;
    if (is_last) lammps.fail(fmt::format("printed nothing and ended with status {}", status));
  }
}

using sim::Index;

bool LammpsDump::read(sim::Points& x, sim::Points& v) {
  const auto is_whole_line = [&] { return std::getline(in_, line_) && !in_.eof(); };  // a killed run may end mid-line
  do
    if (!is_whole_line()) return false;
  while (line_.rfind("ITEM: ATOMS", 0) != 0);
  x.resize(3, particles_);
  v.resize(3, particles_);
  for (Index i = 0; i < particles_; ++i) {
    if (!is_whole_line()) return false;
    const auto words = datasets::split_words(line_);
    if (words.size() != 7 || datasets::parse_integer(words[0]) != i + 1)
      throw std::runtime_error("LAMMPS wrote '" + line_ + "' where particle " + std::to_string(i) + " was due");
    for (Index a = 0; a < 3; ++a) {
      const auto position = datasets::parse_number(words[1 + a]), velocity = datasets::parse_number(words[4 + a]);
      if (!position || !velocity) throw std::runtime_error("LAMMPS wrote '" + line_ + "', which are no numbers");
      x(a, i) = *position;
      v(a, i) = *velocity;
    }
  }
  return true;
}

namespace {

namespace fs = std::filesystem;

LammpsMotion motion_of(const BackendJob& job) {
  return {.name = "pithball",
          .model = *job.model,
          .start = job.start,
          .integrator = "velocity_verlet",
          .time_step = job.time_step,
          .last_step = job.wanted.back()};
}

/// Whether LAMMPS reports this error because the motion has diverged; all others are failures of LAMMPS itself.
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
    LammpsOutput help;
    for (std::string part = asked.read(); !part.empty(); part = asked.read()) help.text += part;
    const std::string version = help.after("Massively Parallel Simulator - ");
    if (version.empty())
      throw InvalidArgument({program_.string(), "", "must be LAMMPS",
                             "a program whose output for -h does not mention LAMMPS",
                             "set PITHBALL_LAMMPS to another one"});
    version_ = "LAMMPS " + version;
  }

 private:
  BackendOutcome do_run(const BackendJob& job, const Receiver& receive) override {
    const LammpsMotion motion = motion_of(job);
    const LammpsSystem system = lammps_system(motion);
    const TemporaryFolder folder("lammps");
    const auto write = [&](const char* name, const std::string& text) {
      std::ofstream file(folder.path() / name, std::ios::binary);
      if (!(file << text).flush()) throw std::runtime_error("cannot write " + (folder.path() / name).string());
    };
    // File names are absolute, because LAMMPS runs in the caller's working directory, and quoted, because they may
    // contain blanks.
    const LammpsRun run{.data = quoted(folder.path() / "system.data"),
                        .steps = quoted(folder.path() / "steps"),
                        .dump = quoted(folder.path() / "motion"),
                        .last = job.wanted.back()};
    write("system.data", lammps_data(motion, system));
    write("in.pithball", lammps_run_deck(motion, system, run));
    std::string steps;
    for (const Index step : job.wanted) steps += fmt::format("{}\n", step);
    write("steps", steps + fmt::format("{}\n", job.wanted.back() + 1));  // LAMMPS reads one number ahead

    BackendOutcome outcome;
    const LammpsOutput said = listen(folder.path() / "in.pithball", outcome);
    LammpsDump dump(folder.path() / "motion", job.model->particles());
    const LammpsBox box = lammps_box(motion, system);
    for (Points x, v; dump.read(x, v);) {
      if (is_out_of_reach(x, system, lammps_reach * box.side)) {
        outcome.status = sim::StepStatus::Diverged;
        return outcome;
      }
      receive(x, v);
    }
    outcome.seconds = said.number_after("Loop time of") - said.number_after("\nOutput");
    return outcome;
  }

  /// Runs the deck in LAMMPS and returns its output.
  LammpsOutput listen(const fs::path& deck, BackendOutcome& outcome) const {
    LammpsOutput said;
    try {
      run_lammps(program_, deck, said);
    } catch (const std::runtime_error&) {
      if (!Interruption::flag()) throw;
      outcome.interrupted = true;
      return said;
    }
    if (said.ok) return said;
    const std::string error = said.after("ERROR");
    if (!tells_of_divergence(error)) throw std::runtime_error("LAMMPS failed: " + (error.empty() ? said.text : error));
    outcome.status = sim::StepStatus::Diverged;
    // Some error messages include the step.
    outcome.step = static_cast<Index>(LammpsOutput{error}.number_after("at step"));
    return said;
  }

  static std::string quoted(const fs::path& file) { return '"' + file.string() + '"'; }

  /// Whether charges may be so far apart that LAMMPS would omit pairs; false if a position is not finite.
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

std::unique_ptr<Backend> start_lammps() { return std::make_unique<Lammps>(find_lammps()); }

}  // namespace

BackendInfo lammps_backend() {
  return {"lammps", "LAMMPS", "LAMMPS (`lmp` on PATH, or PITHBALL_LAMMPS), one process", false, start_lammps};
}

}  // namespace pithball::app
