#include "app/report/thinning.hpp"

#include <cmath>
#include <numeric>
#include <set>

namespace pithball::app {

std::vector<std::size_t> thinned_rows(const std::vector<std::vector<double>>& series, std::size_t most) {
  const std::size_t count = series.empty() ? 0 : series.front().size();
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (count <= most) return all;
  const std::size_t stretches = (most - 2) / (2 * series.size());
  std::set<std::size_t> kept{0, count - 1};
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = s * count / stretches, end = (s + 1) * count / stretches;
    for (const std::vector<double>& values : series) {
      std::size_t lowest = begin, highest = begin;
      for (std::size_t k = begin; k < end; ++k) {
        if (!std::isfinite(values[k])) continue;
        if (!(values[k] >= values[lowest])) lowest = k;
        if (!(values[k] <= values[highest])) highest = k;
      }
      kept.insert({lowest, highest});
    }
  }
  return {kept.begin(), kept.end()};
}

std::vector<double> at_rows(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  std::vector<double> some;
  for (const std::size_t row : rows) some.push_back(values[row]);
  return some;
}

}  // namespace pithball::app
