#include "optim/diagnosis/false_discovery.hpp"

#include <algorithm>
#include <numeric>

namespace pithball::optim {

std::vector<double> adjust_for_number(const std::vector<double>& p) {
  std::vector<std::size_t> descending(p.size());
  std::iota(descending.begin(), descending.end(), std::size_t{0});
  std::ranges::stable_sort(descending, std::greater{}, [&](std::size_t k) { return p[k]; });
  std::vector<double> adjusted(p.size(), 1);
  double least = 1;
  for (std::size_t place = 0; place < descending.size(); ++place) {
    const std::size_t k = descending[place];
    const auto rank = static_cast<double>(p.size() - place);
    least = std::min(least, p[k] * static_cast<double>(p.size()) / rank);
    adjusted[k] = least;
  }
  return adjusted;
}

}  // namespace pithball::optim
