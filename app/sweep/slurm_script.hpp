#pragma once
#include <filesystem>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::app {

/// A Slurm batch script that does the tasks of a plan folder as an array of at most 1,000 jobs, each with a block of
/// tasks on one processor.
std::string slurm_script(const std::string& name, sim::Index tasks, const std::filesystem::path& plan);

}  // namespace pithball::app
