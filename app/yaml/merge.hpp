#pragma once
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Lays one document over another: mappings merge key by key, in all depths; whatever else `over` holds (a list, a
/// number, a text) replaces what `base` has there, and a key without a value removes it. Every part keeps the place at
/// which it was written.
Tree merged(Tree base, const Tree& over);

}  // namespace pithball::app
