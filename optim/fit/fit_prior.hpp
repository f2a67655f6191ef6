#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/fit/search.hpp"

namespace pithball::optim {

class ResolvedFit;

/// ½ of a sum of squares as a quadratic function of a change of θ, without the constant term.
struct Quadratic {
  Vector gradient;            ///< P
  Eigen::MatrixXd curvature;  ///< P×P

  /// Adds weight × ½|r + J δ|².
  void add(const Vector& r, const Eigen::MatrixXd& J, double weight);
};

/// The marginal likelihood of the width w of one smooth prior, with everything else unchanged. With H = A + K/w², where
/// A is the curvature of the data and of other priors, K = DᵀD, and L their ½χ²,
///    ln p(w) = −min_δ (L(δ) + ½|d + D δ|²/w²) − m ln w − ½ ln det H + ln w,   m = rank K.
/// The last term keeps w from 0, at which all values would be the same: the prior of Chung et al., Psychometrika 78,
/// 2013, for a scale whose likelihood is often largest there.
class WidthLikelihood {
 public:
  /// `others`: L; d and D: the prior's residuals and their derivatives at width 1.
  WidthLikelihood(Quadratic others, const Vector& d, const Eigen::MatrixXd& D);
  /// ln p(w), up to a constant; −∞ where some value would not be determined.
  double operator()(double w) const;

 private:
  Quadratic others_;
  Vector pull_;
  Eigen::MatrixXd K_;
  double square_, rank_;
};

/// The problem with these widths for those of its smooth priors that have none, in their order.
FitProblem with_prior_widths(FitProblem problem, const std::vector<PriorWidth>& widths);

/// The fit with these widths; the same one if there are none.
std::shared_ptr<const ResolvedFit> with_prior_widths(std::shared_ptr<const ResolvedFit> fit,
                                                     const std::vector<PriorWidth>& widths);

/// A fit in which every prior has a width, and its optimum.
struct WidthFit {
  std::shared_ptr<const ResolvedFit> fit;  ///< with the widths in `optimum.widths`
  FitOptimum optimum;                      ///< of that fit
};

/// Finds the widths of smooth priors that have none: those that maximize the marginal likelihood of the fit linearized
/// at its optimum. Searches with them and finds them again until they settle. A fit whose priors all have a width stays
/// as it is. `fit` must outlive the result.
WidthFit find_prior_widths(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch);

/// The problem with the diffusion of these scenarios, its own at other values, for all recordings with a thermal
/// energy.
FitProblem with_diffusion(FitProblem problem, const std::vector<diff::Scenario>& scenarios);
/// The fit with D of the values at θ; itself without Brownian motion.
std::shared_ptr<const ResolvedFit> with_diffusion_at(std::shared_ptr<const ResolvedFit> fit, const Vector& theta);

/// A fit of recordings with Brownian motion weighs their readings by the covariance σ² δ + 2D min(t, t′), with D of the
/// values at which it begins. Repeats it with D of its estimates until D settles (generalized least squares). The
/// estimates are then those of maximum likelihood but for what the size of the scatter alone says about D, a relative
/// error of √(2/n) from n readings: the derivative of D and of ln det V do not enter. The fit that is returned has that
/// D written in it, whatever values it is evaluated at. Other fits stay as they are.
WidthFit settle_diffusion(WidthFit found, const MinimizerWatch& watch);

/// The information from an earlier fit: the marginal posterior of some of its parameters. As a prior of another fit, it
/// replaces the priors of these parameters, which it contains.
struct EarlierEstimates {
  std::vector<std::string> names;  ///< Q, as in ParameterInfo
  Vector estimate;                 ///< of the physical values p, Q
  Eigen::MatrixXd covariance;      ///< of p, Q×Q

  /// Whether nothing is known from an earlier fit.
  bool empty() const { return names.empty(); }
};

/// θ with the earlier estimates, elsewhere the start (P). Throws InvalidArgument if the transform of a parameter does
/// not allow its estimate.
Vector start_at(const ParameterMap& map, const EarlierEstimates& earlier);

/// Prior knowledge as rows G, whose squares add to those of the residuals' Jacobian: information GᵀG in θ (P×P).
/// Without earlier estimates these are the derivatives of the fit's priors; with them, their posterior, and the priors
/// that concern another parameter. Directions in which the posterior has less than 1e-12 of the largest relative
/// variance are given that much. No rows: nothing is known.
Evaluation prior_rows(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier, Eigen::MatrixXd& G);

}  // namespace pithball::optim
