#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// Number of insertions, deletions, substitutions and swaps of neighbors that turn one word into the other
/// (optimal string alignment distance).
int edit_distance(std::string_view a, std::string_view b);

/// The known word that was probably meant: nearest by edit distance, if at most a third of its letters (but at least 1)
/// differ.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words);

}  // namespace pithball::app
