#pragma once
#include <vector>

namespace pithball::optim {

/// p-values adjusted for the number of tests: q_(k) = max_{j ≤ k} min(1, (n − j + 1) p_(j)) with p in ascending order,
/// j = 1 … n. Whatever the dependence of the tests, any false one has q below a level with at most that probability
/// (Holm, Scand. J. Stat. 6, 1979). Same order as `p`.
std::vector<double> adjust_for_number(const std::vector<double>& p);

}  // namespace pithball::optim
