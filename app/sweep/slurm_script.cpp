#include "app/sweep/slurm_script.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pithball::app {
namespace {

constexpr sim::Index most_jobs = 1000;  // what Slurm accepts as an array without a change of its MaxArraySize

/// In single quotes of a shell.
std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string slurm_script(const std::string& name, sim::Index tasks, const std::filesystem::path& plan) {
  const sim::Index jobs = std::min(tasks, most_jobs);
  std::string title;
  for (const char c : name) title += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return fmt::format(
      "#!/bin/bash\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=0-{}\n"
      "#SBATCH --cpus-per-task=1\n"
      "#SBATCH --output=/dev/null\n"
      "# Submit with `sbatch slurm.sh`; more options (time, partition, memory) on the command line of sbatch. Fewer "
      "jobs with\n"
      "# more tasks each: `sbatch --array=0-99 slurm.sh`.\n"
      "# Submit again to do what is missing. PITHBALL names the program if it is not on PATH.\n"
      "plan={}\n"
      "log=\"$plan/failures/job-$SLURM_ARRAY_TASK_ID.log\"\n"
      "rm -f \"$log\"\n"
      "set -C  # writes into no file, and through no link, that somebody puts there meanwhile\n"
      "exec \"${{PITHBALL:-pithball}}\" run \"$plan\" --block \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\" "
      "--threads 1 --quiet "
      "2>\"$log\"\n",
      title, jobs - 1, shell_quoted(plan.string()));
}

}  // namespace pithball::app
