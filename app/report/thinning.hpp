#pragma once
#include <cstddef>
#include <vector>

namespace pithball::app {

/// Selects the rows of a long series that a plot shows: the first, the last, and the minimum and maximum of each series
/// in each interval, so that no peak is lost. Returns at most `most` rows (at least 2 + 2·series), in order; all rows
/// if there are no more. Entries that are not finite are ignored.
std::vector<std::size_t> thinned_rows(const std::vector<std::vector<double>>& series, std::size_t most);

/// The entries of a list at these rows.
std::vector<double> at_rows(const std::vector<double>& values, const std::vector<std::size_t>& rows);

}  // namespace pithball::app
