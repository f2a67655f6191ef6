#include "diff/check/finite_difference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pithball::diff {

std::optional<DifferenceEstimate> differentiate(const std::function<std::optional<double>(double)>& f,
                                                double first_step, bool one_sided) {
  constexpr int levels = 14;  // down to 1e-4 of the first step: buckling bodies are smooth on small scales only
  // Central differences err in h², h⁴, …; one-sided ones in h, h², …: halving the step divides the leading term by 4
  // or 2.
  const double ratio = one_sided ? 2 : 4;
  std::optional<double> center;
  if (one_sided && !(center = f(0))) return {};
  std::vector<double> previous;
  DifferenceEstimate best{0, std::numeric_limits<double>::infinity()};
  double h = first_step;
  for (int k = 0; k < levels; ++k, h /= 2) {
    const auto forward = f(h);
    const auto backward = one_sided ? center : f(-h);
    if (!forward || !backward) {
      previous.clear();
      continue;
    }
    // What rounding alone does to a difference: without it, chance agreement at tiny steps would look like convergence.
    const double rounding =
        64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(*forward), std::abs(*backward)) / h;
    std::vector<double> row{(*forward - *backward) / (one_sided ? h : 2 * h)};
    double factor = ratio;
    for (std::size_t j = 0; j < previous.size(); ++j, factor *= ratio) {
      row.push_back(row[j] + (row[j] - previous[j]) / (factor - 1));
      const double error = rounding + std::max(std::abs(row[j + 1] - row[j]), std::abs(row[j + 1] - previous[j]));
      if (error <= best.error) best = {row[j + 1], error};
    }
    if (std::isinf(best.error)) best.value = row[0];
    previous = std::move(row);
  }
  if (std::isinf(best.error)) return {};
  return best;
}

}  // namespace pithball::diff
