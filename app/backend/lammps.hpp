#pragma once
#include <filesystem>
#include <string>

#include "app/backend/backend.hpp"

namespace pithball::app {

/// Path of LAMMPS: PITHBALL_LAMMPS if set, else `lmp` on PATH. Throws InvalidArgument if there is none.
std::filesystem::path find_lammps();

/// Output of LAMMPS after running an input script, with one process and one thread.
struct LammpsOutput {
  std::string text;  ///< standard output
  bool ok = true;    ///< whether the script ran to its end

  /// The rest of the first line that contains `mark`; empty if no line does.
  std::string after(const std::string& mark) const;
  /// The number after `mark` in that line, or after the bars that follow it; 0 if there is none.
  double number_after(const std::string& mark) const;
};

/// Runs an input script in LAMMPS; a run that prints nothing and fails is made once more. Throws std::runtime_error if
/// it fails so again, makes no progress or is interrupted; `output` then holds what it had printed.
void run_lammps(const std::filesystem::path& program, const std::filesystem::path& deck, LammpsOutput& output);

/// LAMMPS: `lmp` on PATH, or the program named by the environment variable PITHBALL_LAMMPS. It runs the input script of
/// `export --format lammps`, without its energies, in a separate process on one core.
BackendInfo lammps_backend();

}  // namespace pithball::app
