#pragma once
#include <functional>
#include <string>
#include <vector>

#include "optim/fit/search.hpp"
#include "optim/parameter/parameter.hpp"
#include "optim/residual/residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

class ResolvedFit;

/// |r|² at θ; NaN where it cannot be computed.
double square_at(const Residual& residual, const Vector& theta);

/// A least-squares problem as a scan sees it.
struct ScannedProblem {
  const Residual& residual;           ///< must outlive this object
  Bounds bounds;                      ///< of θ
  std::vector<Transform> transforms;  ///< of each entry of θ
  std::vector<Index> scanned;         ///< entries that are varied; the others are nuisance parameters
  Index data_rows;                    ///< the first rows of the residual; those of priors, steep or not, follow
  std::function<double(const Vector& theta)> square;  ///< |r|² for a scan, as `square_at`; called from several threads
};

/// Whether derivatives at the end θ of a search say nothing about χ² in its neighborhood, as where contacts open and
/// close many times within a standard error. With the residuals r, their Jacobian J and s² = |r|²/(R − P) this is so
/// - if the step δ = −J⁺r should lower |r|² by more than s²/4, but neither δ nor δ/10 lowers it by a quarter of what J
///   predicts, or
/// - if r changes by less than a fifth of what J predicts when one value changes: by 1 %, where J predicts more than
///   3|r|; or by 30 standard errors for fixed other values, but at most 1 %, where that is at least 10 of them.
/// Costs one tangent run and up to four others. False where J cannot be computed.
bool is_rough(const ScannedProblem& problem, const Vector& theta);

/// Evaluates |r|², side by side, at 17 values of each scanned entry, from half to twice the value (a parameter of
/// either sign: from 0 to twice), and moves θ to the lowest; up to three rounds over all entries, then one of an eighth
/// of the width about the best values and, if that found better ones and there are several entries, another of full
/// width. Returns the interval of each, from the values of the last round of full width:
///    ln |r|² ≤ ln |r|²_min + √2 t ω + ln(1 + t²/(R − P)),
/// with ω² = Σ (Δ³ ln |r|²)²/(20 N) from the third differences of neighboring values, which cancel a smooth curve.
std::vector<RoughInterval> scan_rough(const ScannedProblem& problem, double t, Vector& theta);

/// The end of a search, once the neighborhood of a rough χ² was scanned.
struct ScannedEnd {
  SearchEnd end;                     ///< the better one of before and after the scan
  std::vector<RoughInterval> rough;  ///< where χ² is rough there; empty: it is smooth
  std::string summary;               ///< sentence that the scan found a better fit; empty: it found none
};

/// If χ² is rough at the end of a search, scans it, moves to a better fit if the scan finds one, and searches from
/// there.
ScannedEnd escape_rough_minimum(const ResolvedFit& fit, const ResidualScales& scales, SearchEnd end,
                                const MinimizerWatch& watch);

/// The end was requested.
void note_stop(SearchEnd& end);

/// Searches; then settles the scales of the residuals (scaled_fit.hpp), leaves a rough place and lifts vanished
/// values (checked_intervals.hpp), the last two only if there will be standard errors. Without parameters nothing is
/// searched.
FitOptimum find_optimum(const ResolvedFit& fit, const SearchWatch& watch = {});

/// The optimum of a fit with the same parameters, by one search from an optimum of another fit; scales, a rough place
/// and vanished values are treated as in `find_optimum`. The ends of further searches belong to another cost and are
/// left out.
FitOptimum searched_from(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch);

/// The optimum with the ends of further searches of the whole problem among those of the last stage, so that they are
/// compared like those from several starts (minima.hpp). If one of them is better than the optimum, it becomes the
/// optimum: a search that was cut off is continued, and scales, a rough place and vanished values are treated as after
/// the first search. `evaluations`: of these searches.
FitOptimum with_ends(const ResolvedFit& fit, FitOptimum optimum, std::vector<FoundMinimum> ends,
                     const EvaluationCounts& evaluations, const MinimizerWatch& watch);

}  // namespace pithball::optim
