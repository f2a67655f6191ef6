#pragma once
#include "app/yaml/renamed.hpp"

namespace pithball::app {

/// Names in experiment files that docs/glossary.md lists as earlier names; they are accepted with a note.
const RenamedNames& renamed_keys();

/// Current name of a value or parameter, "stiffness" or "stiffness[7]", in a run folder written by an earlier version.
std::string current_value_name(const std::string& name);

}  // namespace pithball::app
