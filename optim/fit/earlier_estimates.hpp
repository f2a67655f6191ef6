#pragma once
#include <string>
#include <vector>

#include "optim/fit/resolved_fit.hpp"

namespace pithball::optim {

/// What an earlier fit knows: the marginal posterior of some of its parameters. As a prior of another fit, it replaces
/// the priors of these parameters, which it contains.
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
/// variance get that. No rows: nothing is known.
Evaluation prior_rows(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier, Eigen::MatrixXd& G);

}  // namespace pithball::optim
