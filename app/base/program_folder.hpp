#pragma once
#include <filesystem>

namespace pithball::app {

/// The folder of the running program; empty if the system does not provide it.
std::filesystem::path program_folder();

/// share/pithball/NAME below the program's folder (build tree) or beside its bin/ (installed); empty if there is none.
std::filesystem::path find_shared_file(const std::filesystem::path& name);

}  // namespace pithball::app
