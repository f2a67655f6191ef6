#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

const std::vector<app::Command>& lab_commands() {
  static const char *const recordings = "Real recordings", *const claims = "Claims", *const times = "Times";
  static const std::vector<app::Command> all{
      {recordings, "study", "research on a real recording that is more than one fit", declare_study},
      {recordings, "cases", "every study of a real recording that is here, in one table", declare_cases},
      {claims, "demos", "motions of particles worth looking at, with numbers that show that they are right",
       declare_demos},
      {claims, "paper", "the figures and tables of the paper on our own runs, claim by claim, as one page",
       declare_paper},
      {times, "bench", "time a step, a gradient, a fit, Coulomb sums and neighbour searches", declare_bench},
  };
  return all;
}

}  // namespace pithball::experiments
