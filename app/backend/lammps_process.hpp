#pragma once
#include <filesystem>
#include <string>

namespace pithball::app {

/// Where LAMMPS is: what PITHBALL_LAMMPS names, or `lmp` on PATH. Throws InvalidArgument if absent.
std::filesystem::path find_lammps();

/// What LAMMPS printed while it ran a deck, one process with one thread.
struct LammpsOutput {
  std::string text;
  bool ok = true;  ///< whether it came to the deck's end

  /// The rest of the first line in which `mark` stands; empty where it stands nowhere.
  std::string after(const std::string& mark) const;
  /// A number that follows `mark` in that line, before or after bars; 0 where there is none.
  double number_after(const std::string& mark) const;
};

/// Lets LAMMPS run a deck. Throws std::runtime_error if it makes no progress, or was interrupted: what it had printed
/// is then in `output` already.
void run_lammps(const std::filesystem::path& program, const std::filesystem::path& deck, LammpsOutput& output);

}  // namespace pithball::app
