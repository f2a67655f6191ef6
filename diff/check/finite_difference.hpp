#pragma once
#include <functional>
#include <optional>

namespace pithball::diff {

/// A derivative by finite differences, with the error estimated by its extrapolation table.
struct DifferenceEstimate {
  double value = 0;  ///< f'(0), in units of f (s has none)
  double error = 0;  ///< estimated error of `value`, in its unit
};

/// f'(0) by Ridders' method (1982): differences with steps first_step/2^k, extrapolated to step 0 (Neville); the entry
/// of the table with the smallest estimated error is used. Central differences, or one-sided ones for f defined at s >=
/// 0 only. Empty if f cannot be evaluated (returns nothing) at any step.
std::optional<DifferenceEstimate> differentiate(const std::function<std::optional<double>(double)>& f,
                                                double first_step, bool one_sided = false);

}  // namespace pithball::diff
