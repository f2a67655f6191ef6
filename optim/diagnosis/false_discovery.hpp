#pragma once
#include <vector>

namespace pithball::optim {

/// p-values adjusted for the number of tests: q_(k) = min_{j ≥ k} p_(j) n/j with p in ascending order. Of the tests
/// with q below a level, at most that fraction is false on average, and if nothing is missing, any is below it with at
/// most that probability (Benjamini & Hochberg, J. R. Stat. Soc. B 57, 1995; valid for positively dependent tests,
/// Benjamini & Yekutieli, Ann. Stat. 29, 2001). Same order as `p`.
std::vector<double> adjust_for_number(const std::vector<double>& p);

}  // namespace pithball::optim
