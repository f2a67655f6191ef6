#pragma once
#include <filesystem>

namespace pithball::app {

/// The folder of the running program; empty if the system does not provide it.
std::filesystem::path program_folder();

/// The file NAME of those that the program needs at run time: in the folder given to `use_shared_folder`, or
/// share/pithball/NAME below the program's folder (build tree) or beside its bin/ (installed); empty if there is none.
std::filesystem::path find_shared_file(const std::filesystem::path& name);

/// From now on such files are looked for in this folder first; for programs of other makers that load this library.
/// Call it before anything else.
void use_shared_folder(std::filesystem::path folder);

}  // namespace pithball::app
