#pragma once
#include <string>

namespace pithball::app {

/// Version of the program; equal to the version in CMakeLists.txt (a test compares them).
inline constexpr const char* version = "0.1.0";

/// "pithball 0.1.0, build 103b56d1…": identical only for copies of the same build. The build is the linker's checksum
/// of the program, or of the Python module (its GNU build ID).
std::string program_build();

}  // namespace pithball::app
