#pragma once
#include "app/yaml/renamed.hpp"

namespace pithball::app {

/// The names of experiment files that were used before those of docs/glossary.md; each is still read, with a note.
const RenamedNames& renamed_keys();

/// Today's name of a value or parameter, "stiffness" or "stiffness[7]", that an earlier version wrote into a run
/// folder.
std::string current_value_name(const std::string& name);

}  // namespace pithball::app
