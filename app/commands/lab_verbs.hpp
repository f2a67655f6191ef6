#pragma once
#include <string>
#include <vector>

namespace pithball::app {

/// The verbs that `pithball` had before `pithball-lab` was.
const std::vector<std::string>& lab_verbs();

/// Whether the command line begins with one of them.
bool is_lab_verb(int argc, char** argv);

/// Becomes `pithball-lab`, beside this program, with the same arguments, and says so on standard error. Returns, with
/// what the shell is told, only if it cannot.
int start_lab(char** argv);

}  // namespace pithball::app
