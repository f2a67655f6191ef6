#include "optim/diagnosis/many_tests.hpp"

#include <algorithm>
#include <numeric>

namespace pithball::optim {

std::vector<double> adjust_for_number(const std::vector<double>& p) {
  std::vector<std::size_t> ascending(p.size());
  std::iota(ascending.begin(), ascending.end(), std::size_t{0});
  std::ranges::stable_sort(ascending, {}, [&](std::size_t k) { return p[k]; });
  std::vector<double> adjusted(p.size(), 1);
  double largest = 0;
  for (std::size_t place = 0; place < ascending.size(); ++place) {
    const std::size_t k = ascending[place];
    largest = std::max(largest, std::min(1.0, p[k] * static_cast<double>(p.size() - place)));
    adjusted[k] = largest;
  }
  return adjusted;
}

}  // namespace pithball::optim
