#pragma once

namespace pithball::app {

/// Whether the command line begins with a verb that `pithball` had before `pithball-lab` was: study, cases, demos,
/// paper, bench.
bool is_lab_verb(int argc, char** argv);

/// Becomes `pithball-lab`, beside this program, with the same arguments, and says so on standard error. Returns, with
/// what the shell is told, only if it cannot.
int start_lab(char** argv);

}  // namespace pithball::app
