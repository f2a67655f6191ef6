#pragma once
#include <string>

namespace pithball::tests {

// One file knows these paths, not the command line of each: ccache then finds the tests of a second clone compiled.

/// The root of the repository.
extern const char* const source_folder;

/// The programs `pithball` and `pithball-lab` of this build.
extern const char* const built_program;
extern const char* const built_lab;

/// A file of the repository, by its name in the root.
inline std::string in_sources(const std::string& name) { return std::string(source_folder) + "/" + name; }

}  // namespace pithball::tests
