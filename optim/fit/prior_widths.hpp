#pragma once
#include <memory>
#include <vector>

#include "optim/fit/search.hpp"

namespace pithball::optim {

class ResolvedFit;

/// ½ of a sum of squares as a quadratic function of a change of θ, without its value at none.
struct Quadratic {
  Vector gradient;            ///< P
  Eigen::MatrixXd curvature;  ///< P×P

  /// Adds weight × ½|r + J δ|².
  void add(const Vector& r, const Eigen::MatrixXd& J, double weight);
};

/// The marginal likelihood of the width w of one smooth prior, all else as it is. With H = A + K/w², where A is the
/// curvature of the data and of other priors, K = DᵀD, and L their ½χ²,
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

/// The problem with these widths of its smooth priors without one, in their order.
FitProblem with_prior_widths(FitProblem problem, const std::vector<PriorWidth>& widths);

/// The fit with these widths; the same one if there are none.
std::shared_ptr<const ResolvedFit> with_prior_widths(std::shared_ptr<const ResolvedFit> fit,
                                                     const std::vector<PriorWidth>& widths);

/// A fit in which every prior has a width, and its optimum.
struct WidthFit {
  std::shared_ptr<const ResolvedFit> fit;  ///< with the widths in `optimum.widths`
  FitOptimum optimum;                      ///< of that fit
};

/// Finds the widths of smooth priors that have none, where the marginal likelihood of the fit linearized at its optimum
/// is largest; searches with them, and finds them again, until they settle. A fit whose priors all have a width stays
/// as it is. `fit` must outlive the result.
WidthFit find_prior_widths(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch);

}  // namespace pithball::optim
