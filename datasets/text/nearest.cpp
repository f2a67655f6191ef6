#include "datasets/text/nearest.hpp"

#include "sim/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace pithball::datasets {

namespace {

std::string without_capitals(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// Returns the known word that contains this one, if there is exactly one.
std::optional<std::string> only_container(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> found;
  for (const std::string& candidate : known) {
    if (word.size() < 2 || candidate.find(word) == std::string::npos) continue;
    if (found) return {};
    found = candidate;
  }
  return found;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // d[i][j]: distance between the first i letters of a and the first j of b.
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  int best_distance = 0;
  for (const std::string& candidate : known) {
    const int letters = static_cast<int>(std::min(word.size(), candidate.size()));
    const int allowed = letters < 2 ? 0 : std::max(1, letters / 3);
    if (word.size() > candidate.size() + allowed) continue;  // the word may be a text of any length
    const int distance = edit_distance(without_capitals(word), without_capitals(candidate));
    if (distance > allowed || (best && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best ? best : only_container(word, known);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known, std::string otherwise) {
  const auto meant = nearest(word, known);
  return meant ? "did you mean '" + *meant + "'?" : std::move(otherwise);
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  return suggestion(word, known, "known are " + joined(known));
}

}  // namespace pithball::datasets
