#pragma once
#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/fit_residual.hpp"
#include "optim/uncertainty/profile.hpp"

namespace pithball::optim {

/// A fit's minimum with its curvature, in units in which residuals of the data have the variance 1: what profiles,
/// resampled fits and checks of linearity go by.
class ScaledFit {
 public:
  /// `judged` must outlive this object.
  ScaledFit(const ResolvedFit& fit, const BoundedErrors& judged, const FitReport& report);

  /// Whether the residuals have a scale and χ² a curvature.
  bool ok() const { return ok_; }
  /// How much χ² a step to the minimum would still take away, gᵀH⁺g: the search ended √ of it standard errors short.
  double left() const { return left_; }
  const FitProblem& problem() const { return problem_; }       ///< with sigma in these units
  const Vector& theta() const { return theta_; }               ///< P
  const Eigen::MatrixXd& inverse() const { return inverse_; }  ///< H⁺, P×P (FitCurvature)
  Vector residuals() const { return rows_.r / scale_; }        ///< of the data, before a loss, R
  /// J_dᵀ data + J_pᵀ prior, R and the rows of the priors to P; J_d of residuals before a loss.
  Vector transposed(const Vector& data, const Vector& prior) const;
  /// J̃ᵀw, w of R rows and those of the priors: J̃ that of `FitResidual::all`, under the loss.
  Vector transposed_all(const Vector& w) const;
  /// The minimum, for a residual that was made of `problem`.
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
