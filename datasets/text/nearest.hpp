#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::datasets {

/// Number of insertions, deletions, substitutions and swaps of neighbors that turn one word into the other
/// (optimal string alignment distance).
int edit_distance(std::string_view a, std::string_view b);

/// The known word that was probably meant: the nearest by edit distance, ignoring case, if at most a third of the
/// letters of the shorter word (but at least 1) differ; otherwise the only one that contains the word (a:C7 for C7). A
/// single letter never matches another word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// The remedy for an unknown word: "did you mean 'time'?" or, without a similar known word, `otherwise`.
std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string otherwise);
/// The same with "known are t, x, y" as `otherwise`.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace pithball::datasets
