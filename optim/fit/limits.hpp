#pragma once
#include "optim/fit/bounded_errors.hpp"

namespace pithball::optim {

/// Of a value that cannot be negative, the search may take the logarithm anywhere below what the recordings feel: to
/// 1e-12 of its start, or 1e-300. Moves such a value of `report.theta` up to a millionth of its start (or as far as a
/// trillionth, …) where that raises χ² by less than 0.01 of a residual's variance: a tenth of a standard error, which
/// no recording tells. There the derivative in ln p is a number again, and dr/dp is what it is at 0.
void raise_vanished(const ResolvedFit& fit, FitReport& report);

/// Finds the values that are consistent with 0, where nature puts a bound (`ParameterInfo::lower` is 0): p̂ < s.e.(p),
/// which on a logarithmic scale is s.e.(ln p) > 1. Of these `upper_limit` is the end of a one-sided interval that is
/// straight in p,
///    p̂ + t₁ s.e.(p),   P(T ≤ t₁) = confidence   (1.645 at 95 % and many degrees of freedom; unit of p),
/// and the interval goes from 0 to there (Cowan, Statistical Data Analysis, 1998, chapter 9). None of a value
/// whose limit is beyond a thousand times what it was started with, or beyond its upper bound: that tells nothing. Nor
/// of one that is large beyond what the recordings tell, such as a stiff spring's: one run with the value at 0, or a
/// thousandth of itself, and the others moved along with it,
///    Δθ_j = −C_jk/C_kk Δ_k,   Δ_k = p̂/(dp/dθ_k),
/// must not raise χ² by more than the interval's end does, (half width/s.e.)².
void find_limits(const ResolvedFit& fit, const BoundedErrors& judged, FitReport& report);

}  // namespace pithball::optim
