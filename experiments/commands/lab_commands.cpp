#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

const std::vector<app::Command>& lab_commands() {
  static const std::vector<app::Command> all{
      {"study", "research on a real recording that is more than one fit", declare_study},
      {"cases", "every study of a real recording that is here, in one table", declare_cases},
      {"demos", "motions of particles worth looking at, with numbers that show that they are right", declare_demos},
      {"paper", "the figures and tables of the paper on our own runs, claim by claim, as one page", declare_paper},
      {"bench", "time a step, a gradient, or Coulomb sums", declare_bench},
  };
  return all;
}

}  // namespace pithball::experiments
