#pragma once
#include <string>
#include <vector>

namespace pithball::experiments {

/// Lines of cells as text, each column as wide as its widest cell; characters count, not bytes. Each ends with a line
/// feed. All must have as many cells as the first.
std::vector<std::string> aligned_lines(const std::vector<std::vector<std::string>>& lines);

}  // namespace pithball::experiments
