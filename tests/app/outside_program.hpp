#pragma once
// Programs that tests ask for their opinion of exported files: Python with a module, LAMMPS.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

namespace pithball::test {

/// Whether a shell command succeeds.
inline bool succeeds(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// Skips the test where there is no LAMMPS.
inline void require_lammps() {
  if (!succeeds("lmp -h")) tests::skip("no program lmp: `third_party/install_packages.sh test` installs LAMMPS");
}

/// A Python that has the module: the first on the path, or the system's. The test is skipped where none has.
inline std::string python_with(const std::string& module) {
  for (const std::string python : {"python3", "/usr/bin/python3"})
    if (succeeds(python + " -c 'import " + module + "'")) return python;
  tests::skip("no Python with the module " + module + ": `third_party/install_packages.sh test` installs it");
}

/// What a script of tests/app/export prints, as JSON.
inline nlohmann::json ask_python(const std::string& script, const std::string& module, const fs::path& file) {
  const Workplace place;
  const std::string command = python_with(module) + " '" + tests::in_sources("tests/app/export/") + script + "' '" +
                              file.string() + "' >'" + (place / "out").string() + "' 2>'" + (place / "err").string() +
                              "'";
  const int status = std::system(command.c_str());
  CAPTURE(command, read_text(place / "err"));
  REQUIRE(status == 0);
  return nlohmann::json::parse(read_text(place / "out"));
}

}  // namespace pithball::test
