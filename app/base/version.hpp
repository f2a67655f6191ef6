#pragma once
#include <string>

namespace pithball::app {

/// Version of the program. CMakeLists.txt, pyproject.toml and the site read it here; tests/layering/check_release.py
/// finds the other places that must state it (VERSIONING.md).
inline constexpr const char* version = "0.1.0";

/// "pithball 0.1.0, build 103b56d1…": identical only for copies of the same build. The build is the linker's checksum
/// of the program, or of the Python module (its GNU build ID).
std::string program_build();

}  // namespace pithball::app
