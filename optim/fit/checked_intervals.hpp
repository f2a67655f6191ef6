#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/scaled_fit.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// Result of comparing the interval of one value with the model.
struct CheckedInterval {
  Index k = 0;                     ///< number of the value
  bool is_wanted = false;          ///< its profile is requested, whatever the check says
  bool is_checked = false;         ///< its ends are those of the linearized problem
  IntervalSought sought;           ///< the ends that were compared with the model
  double deviation = 0;            ///< relative deviation of Δχ² there from its linear value, the larger of the two
  std::optional<Profile> profile;  ///< empty: not needed
  EvaluationCounts counts;         ///< of the check and the profile
};

/// The compared intervals of all values that were examined.
struct CheckedIntervals {
  std::vector<CheckedInterval> list;  ///< in the order of θ
  std::string failure;  ///< why intervals were not checked or replaced, in a sentence; empty: nothing was left out
};

/// Checks linearized intervals against the model, with two runs each (check_curvature), and computes the profiles of
/// those whose Δχ² is off by more than `curved` with IntervalMethod::Profile (compute_profile; 8 runs or more), with
/// ends where χ² has risen as much as at the ends of the widest interval of the linearized problem. Profiles in
/// UncertaintyAnalysis::profiles are always computed; if more than 30 intervals are inaccurate, no others are, and a
/// note says so. Not checked: upper limits, which are linear in p; intervals of an exact motion, whose residuals are
/// rounding errors; values where χ² is rough (fit_optimum.hpp); values that differ between recordings (random effects);
/// values with a `laplace` prior, which keep the interval of its distribution; and intervals from resampling, which
/// does not assume linearity. `table`: with the intervals to be checked.
CheckedIntervals check_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table);

/// Whether residuals are rounding differences between two runs rather than scatter with which intervals could be
/// compared: less than a millionth of the recorded motion, or of the distances between the markers. `data_scale`: of
/// the residuals, in units of sigma.
bool shows_no_scatter(const FitProblem& problem, double data_scale);

/// The search may move the logarithm of a non-negative value anywhere below the sensitivity of the recordings: to 1e-12
/// of its start, or 1e-300. Raises such a value at the end of a search to at most a millionth of its start (or a
/// trillionth, …) if that increases χ² by less than 0.01 of a residual's variance: a tenth of a standard error, which
/// no recording resolves. The derivative with respect to ln p is then nonzero again, and dr/dp equals that at 0.
SearchEnd lift_vanished_values(const ResolvedFit& fit, const ResidualScales& scales, SearchEnd end);

/// The upper limit of a value that is consistent with 0.
struct UpperLimit {
  std::optional<double> end;  ///< empty: none
  bool is_open = false;       ///< χ² does not rise up to the limit that the value would have: it is not determined
};

/// The upper limits of values, P. Finds the values that are consistent with 0, their natural bound
/// (`ParameterInfo::lower` is 0): p̂ < s.e.(p), on a logarithmic scale s.e.(ln p) > 1. Their limit is the end of a
/// one-sided interval that is linear in p, straight in p,
///    p̂ + t₁ s.e.(p),   P(T ≤ t₁) = confidence   (1.645 at 95 % and many degrees of freedom; unit of p),
/// the interval extends from 0 to there (Cowan, Statistical Data Analysis, 1998, chapter 9). No limit if it would
/// exceed a thousand times the initial value, or the upper bound, since it would say nothing; nor for a value that is
/// too large for the recordings to measure, such as a stiff spring's. To detect that: one run with the value at 0, or a
/// thousandth of itself, and the others changed accordingly,
///    Δθ_j = −C_jk/C_kk Δ_k,   Δ_k = p̂/(dp/dθ_k),
/// must not increase χ² by more than at the end of the interval, (half width/s.e.)². Nor where a run with the value at
/// its limit, and the others changed likewise, increases χ² by less than a quarter of (t₁ s.e./s.e.(formal))², what the
/// linearized problem claims: such a value is open above, since the minimum over the others is lower still.
/// `table`: with errors; evaluations are added to `counts`.
std::vector<UpperLimit> find_limits(const IntervalBasis& basis, const std::vector<FittedParameter>& table,
                                    EvaluationCounts& counts);

}  // namespace pithball::optim
