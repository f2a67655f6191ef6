#pragma once
#include <cstddef>
#include <vector>

namespace pithball::optim {

/// Values beyond so many standard deviations are left out.
inline constexpr double robust_cut = 4;

/// Standard deviation of values about zero, and how many of them it is from.
struct RobustScale {
  double sigma = 0;       ///< in the unit of the values; 0: no values
  std::size_t kept = 0;   ///< values within 4 sigma
  std::size_t apart = 0;  ///< the others
};

/// Robust standard deviation of values whose mean is known to be zero, such as differences of high order. It begins
/// with median |d| / 0.6745, which nearly half of the values may spoil (Hampel, JASA 69, 1974), and is then the root
/// mean square of the values within 4 sigma, until it is the same for both: the reweighted estimate of Rousseeuw and
/// Leroy (Robust Regression and Outlier Detection, 1987, 4.3), divided by 0.9995, that of a normal variable so
/// truncated, where values lie beyond. One in 16,000 normal values does, so for normal noise it is nearly always the
/// root mean square itself, unbiased and with all its degrees of freedom. (Qn has 82 % of them: Rousseeuw and Croux,
/// JASA 88, 1993; it is made for values without a known mean. The median alone has 37 %.) NaN is left out. If more than
/// half of the values are zero, none is left out. `least`: the median counts as this at least.
RobustScale robust_scale(const std::vector<double>& values, double least = 0);

/// The q-th quantile of values that are not NaN, 0 ≤ q ≤ 1, by the nearest rank; NaN: none.
double quantile(std::vector<double> values, double q);

}  // namespace pithball::optim
