#pragma once

namespace pithball::experiments {

/// Of the program; equal to the version in CMakeLists.txt (a test compares them).
inline constexpr const char* version = "0.1.0";

}  // namespace pithball::experiments
