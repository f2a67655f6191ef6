#pragma once
#include <string>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/fit_residual.hpp"
#include "optim/fit/search.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// A point with a lower χ² than the estimates, found beside the search.
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
  /// Remaining decrease of χ² by a step to the minimum, gᵀH⁺g: the search ended its square root in standard errors away
  /// from it.
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

}  // namespace pithball::optim
