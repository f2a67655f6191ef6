#pragma once
#include <string>
#include <vector>

namespace pithball::app {

/// The verbs of `pithball-lab` that `pithball` had earlier.
const std::vector<std::string>& lab_verbs();

/// Whether the command line begins with one of them.
bool is_lab_verb(int argc, char** argv);

/// Replaces this process by `pithball-lab`, from the same folder, with the same arguments; prints a note on standard
/// error. Returns an exit status only if that fails.
int start_lab(char** argv);

}  // namespace pithball::app
