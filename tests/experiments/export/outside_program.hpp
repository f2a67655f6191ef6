#pragma once
// Programs that tests ask for their opinion of exported files: Python with a module, LAMMPS.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/experiments/program.hpp"
#include "tests/support/catch.hpp"

namespace pithball::test {

/// Whether a shell command succeeds.
inline bool succeeds(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// A Python that has the module: the first on the path, or the system's.
inline std::optional<std::string> python_with(const std::string& module) {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (succeeds(python + " -c 'import " + module + "'")) return python;
  return {};
}

/// What a script of this folder prints, as JSON; null, with a warning, where the module it needs is not installed.
inline nlohmann::json ask_python(const std::string& script, const std::string& module, const fs::path& file) {
  const auto python = python_with(module);
  if (!python) {
    WARN("no Python with the module " << module << ": `third_party/install_packages.sh test` installs it");
    return nullptr;
  }
  const Workplace place;
  const std::string command = *python + " '" PITHBALL_SOURCE_DIR "/tests/experiments/export/" + script + "' '" +
                              file.string() + "' >'" + (place / "out").string() + "' 2>'" + (place / "err").string() +
                              "'";
  const int status = std::system(command.c_str());
  CAPTURE(command, read_text(place / "err"));
  REQUIRE(status == 0);
  return nlohmann::json::parse(read_text(place / "out"));
}

}  // namespace pithball::test
