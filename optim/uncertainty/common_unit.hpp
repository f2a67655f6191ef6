#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// Values that may be whole multiples of one unit, as charges are of e, each with its own error.
struct MeasuredValues {
  Vector value;  ///< q, n ≥ 2, of either sign
  Vector error;  ///< s, n, standard errors > 0 in the same unit, independent of one another
};

/// Where a unit is sought, and what counts as found. The range has to be stated before one looks at the values: in a
/// wide one chance makes higher peaks, and the significance counts that.
struct UnitSearch {
  double low = 0,       ///< smallest unit that is sought, > 0, in the unit of the values
      high = 0;         ///< largest, > low
  double level = 0.01;  ///< p-value up to which a peak is no chance
  double supposed = std::numeric_limits<double>::quiet_NaN();  ///< unit of which the power is asked; NaN: the one found
  double scale_error = 0;    ///< relative standard error of a factor that all values share, as of the field strength
  Index simulations = 2000;  ///< sets of values for the significance, and as many for the power
  std::uint64_t seed = 1;    ///< of the simulations
};

/// What the values say of a common unit.
enum class UnitStatus {
  Resolved,          ///< they are multiples of one unit
  Ambiguous,         ///< they are no smooth set, but several units of the range fit
  NotResolved,       ///< a smooth set is as likely to look so; a unit of the supposed size would probably have shown
  CannotBeResolved,  ///< with these errors a unit of the supposed size would probably not have shown
};

/// The word of a status: `resolved`, `ambiguous`, `not_resolved`, `cannot_be_resolved`.
std::string word_of(UnitStatus status);

/// A common unit of values, and how well it is known.
struct CommonUnit {
  UnitStatus status = UnitStatus::CannotBeResolved;         ///< whether there is one
  double unit = std::numeric_limits<double>::quiet_NaN();   ///< û, in the unit of the values
  double error = std::numeric_limits<double>::quiet_NaN();  ///< its standard error, that of the scale included
  double statistical_error = std::numeric_limits<double>::quiet_NaN();  ///< without that of the scale
  double peak = 0;     ///< largest value of the quantogram in the range
  double p_value = 1;  ///< probability of such a peak anywhere in the range if the values were a smooth set
  double share = 0;    ///< of the probability that û has among all units of the range
  double power = 0;    ///< probability that a unit of the supposed size shows at the level, in its right place
  double smallest_resolvable =
      std::numeric_limits<double>::quiet_NaN();              ///< of the range, with a power of 0.9; NaN: none
  std::vector<long> multiples;                               ///< n: nearest multiple of û for each value
  double misfit = std::numeric_limits<double>::quiet_NaN();  ///< reduced χ² of the values about their multiples
  Index set_aside = 0;  ///< values within three errors of zero, which tell of no unit
};

/// Kendall's cosine quantogram of a set of values at the unit u > 0, weighted by errors,
///    φ(u) = √(2/Σ a_i²) Σ_i a_i cos(2π q_i/u),   a_i = exp(−2π² s_i²/u²),
/// which is √(2/n) Σ w_i cos(2π q_i/u) with weights of mean square 1: a_i is what an error leaves of the mean cosine of
/// a multiple. For values of a smooth set it has mean 0 and variance 1, for multiples of u the mean √(2 Σ a_i²) (D. G.
/// Kendall, Phil. Trans. R. Soc. A 276, 1974; weights: the first harmonic of the likelihood of normal errors on a
/// circle, Mardia and Jupp, Directional Statistics, 2000, section 3.5.7). Throws InvalidArgument if there are fewer
/// than two values, errors are not positive, or u is not.
double quantogram(const MeasuredValues& values, double u);

/// Looks for a common unit of the values.
///
/// Values within three errors of zero are set aside. Significance: sets are drawn from a smooth alternative, each value
/// moved by a normal number of half the largest unit sought, so that nothing is left of a unit in the range but the
/// values' size and their errors; the p-value counts those whose largest φ in the range is at least as high. Estimate:
/// the maximum of
///    ln L(u) = Σ_i ln Σ_k exp(−(q_i − k u)²/2s_i²)
/// at the peak, with the curvature there as its error, which includes what is not known of the multiples k; if the
/// values scatter about their multiples by more than their errors (p < 0.01 of χ²), times √misfit. Share: u Σ_k … of
/// each value is its density beside that of a flat one, and a unit has their product times its error, with a flat prior
/// of ln u, so that a half of a unit, which fits as well, is not taken for it.
///
/// Throws InvalidArgument as `quantogram` does, and if the range, the level, the supposed unit or the scale error is
/// none, or the range is so wide that the search would take more than 2²⁴ cosines for each set.
CommonUnit find_common_unit(const MeasuredValues& values, const UnitSearch& search);

}  // namespace pithball::optim
