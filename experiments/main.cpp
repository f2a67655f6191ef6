// The program `pithball-lab`.

#include "app/commands/program.hpp"
#include "experiments/commands/lab_commands.hpp"

int main(int argc, char** argv) {
  using namespace pithball;
  return app::run_program(
      {"pithball-lab",
       "What Pithball claims, and how fast it is: studies of real recordings, the paper's figures, "
       "demonstrations, benchmarks.",
       experiments::lab_commands(),
       "  pithball-lab cases --quick\n  pithball-lab demos --report\n  pithball-lab bench step --json",
       {}},
      argc, argv);
}
