#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/autocorrelation.hpp"
#include "optim/uncertainty/posterior.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Rows of a fit at θ from residuals and derivatives of its trajectories, with the loss's threshold multiplied by
/// `threshold_scale`.
Evaluation make_fit_rows(const ResolvedFit& fit, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J,
                         double threshold_scale, FitRows& rows);

/// The problem with sigma and the loss's threshold in units of these scales.
FitProblem with_scales(FitProblem problem, const ResidualScales& scales);

/// The scales of the residuals, and where the search with them ended.
struct SettledScales {
  ResidualScales scales;  ///< of the last search
  SearchEnd end;          ///< its end
  std::string failure;    ///< why the search with new scales failed, in a sentence; empty: it succeeded
};

/// After a search: estimates the scales of the residuals if priors or a loss need them and sigma is not absolute, and
/// searches again from the end of the search, up to three times, until they settle (MacKay 1992). A plain fit, whose
/// minimum does not depend on scales, stays where it is.
SettledScales settle_scales(const ResolvedFit& fit, SearchEnd end, const MinimizerWatch& watch);

/// A point with a lower χ² than the estimates, found outside the search.
struct BetterPoint {
  Vector theta;          ///< P
  double rise = 0;       ///< Δχ² there, as in ProfilePoint; negative
  std::string found_by;  ///< "the profile of stiffness"

  /// Whether the search missed a minimum: χ² is lower by more than rounding.
  bool is_lower() const { return rise < -Profile::rounding; }
};

/// What the intervals of a fit are chosen from: its optimum, the errors there, and the size of its residuals.
struct IntervalBasis {
  const ResolvedFit& fit;       ///< the problem
  const FitOptimum& optimum;    ///< its optimum
  const BoundedErrors& errors;  ///< errors there
  const FitQuality& quality;    ///< size of the residuals there
  MinimizerWatch watch = {};    ///< of the searches for intervals
};

/// A fit's minimum and curvature in units in which the data's residuals have variance 1, for profiles, resampled fits
/// and checks of linearity.
class ScaledFit {
 public:
  /// `table`: with errors. What `basis` refers to must outlive this object.
  ScaledFit(const IntervalBasis& basis, const std::vector<FittedParameter>& table);

  /// Whether the residuals have a scale and χ² has a curvature.
  bool ok() const { return ok_; }
  /// Remaining decrease of χ² by a step to the minimum, gᵀH⁺g: the search ended √left standard errors away from it.
  double left() const { return left_; }
  /// Whether that is more than half a standard error: χ² does not rise from there as it should.
  bool is_short() const { return left_ > 0.25; }
  const FitProblem& problem() const { return problem_; }       ///< with sigma in these units
  const Vector& theta() const { return theta_; }               ///< P
  const Eigen::MatrixXd& inverse() const { return inverse_; }  ///< H⁺, P×P (FitCurvature)
  Vector residuals() const { return rows_.r / scale_; }        ///< of the data, without a loss, R
  /// J_dᵀ data + J_pᵀ prior, from R and the rows of the priors to P; J_d of residuals without a loss.
  Vector transposed(const Vector& data, const Vector& prior) const;
  /// J̃ᵀw, for w of R rows and those of the priors, with the J̃ of `FitResidual::all`, including the loss.
  Vector transposed_all(const Vector& w) const;
  /// The minimum for profiles, with a residual constructed from `problem`.
  Optimum about(const FitResidual& residual) const;

 private:
  const FitRows& rows_;
  FitProblem problem_;
  Vector theta_;
  double scale_ = 1;  // τ
  bool ok_ = false;
  Eigen::MatrixXd inverse_, prior_J_;
  double square_ = 0, left_ = 0;
};

/// Number of fits to resampled recordings: determines an interval's end to a tenth of its half width.
inline constexpr Index bootstrap_draws = 200;

/// The ends of percentile intervals.
struct ResampledIntervals {
  std::vector<std::optional<PercentileEnds>> ends;  ///< P; empty: none was computed
  EvaluationCounts evaluations;                     ///< of all draws
  std::string failure;                              ///< why there are none, in a sentence; empty: there are some
  BetterPoint lowest = {};  ///< the point of a draw at which the actual recordings have the lowest χ²
};

/// Intervals of all values from fits to recordings whose residuals are resampled in blocks of frames (BlockSigns),
/// r*(θ) = r(θ) − r̂ + √(R/ν) r̂*, and whose prior means are drawn anew. They are bias-corrected percentiles of the
/// estimates; of a value with an upper limit (`table`), those of a one-sided interval. Each fit starts at the estimate
/// and takes Gauss–Newton steps with the curvature there, the first from known derivatives, so that a draw costs one to
/// three runs. Errors of held values (FitProblem::value_errors) are added; if differences between recordings
/// (jackknife, random effects) give larger errors than the frames, intervals are scaled by that ratio. None if more
/// than a tenth of the draws cannot be fitted. χ² of the recordings themselves is known at every point of a draw but
/// the last: the lowest one may show that the search missed a minimum.
ResampledIntervals resample_intervals(const IntervalBasis& basis, const std::vector<FittedParameter>& table);

}  // namespace pithball::optim
