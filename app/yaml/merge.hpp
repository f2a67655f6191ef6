#pragma once
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Merges one document over another: mappings merge key by key at all levels; anything else in `over` (a list, a
/// number, a text) replaces the value in `base`, and a key without a value removes it. Every part keeps its place in
/// its source.
Tree merged(Tree base, const Tree& over);

}  // namespace pithball::app
