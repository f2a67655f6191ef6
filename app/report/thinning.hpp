#pragma once
#include <cstddef>
#include <vector>

namespace pithball::app {

/// Which of many rows a plot shows: the first, the last, and of each stretch those where a series is lowest and
/// highest, so that no peak is lost. At most `most` rows (at least 2 + 2·series), in order; all rows if they are not
/// more. Entries that are not finite count as neither.
std::vector<std::size_t> thinned_rows(const std::vector<std::vector<double>>& series, std::size_t most);

/// The entries of a list at these rows.
std::vector<double> at_rows(const std::vector<double>& values, const std::vector<std::size_t>& rows);

}  // namespace pithball::app
