#pragma once
#include "app/yaml/renamed.hpp"

namespace pithball::app {

/// Names in experiment files that docs/glossary.md lists as earlier names; they are accepted with a note.
const RenamedNames& renamed_keys();

}  // namespace pithball::app
