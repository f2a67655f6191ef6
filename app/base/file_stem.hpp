#pragma once
#include <string>

namespace pithball::app {

/// A name as part of a file's name: whatever is not a letter, a digit, '-', '_' or '.' becomes '_'.
std::string file_stem(std::string name);

}  // namespace pithball::app
