#pragma once
#include <string>

namespace pithball::app {

/// Of the program; equal to the version in CMakeLists.txt (a test compares them).
inline constexpr const char* version = "0.1.0";

/// "pithball 0.1.0, build 103b56d1…": equal for copies of one build alone. The build is the linker's sum over the
/// program (its GNU build ID).
std::string program_build();

}  // namespace pithball::app
