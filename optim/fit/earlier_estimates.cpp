#include "optim/fit/earlier_estimates.hpp"

#include <algorithm>

#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// For each earlier estimate its entry of θ; −1: this fit does not have it.
std::vector<Index> entries_of(const ParameterMap& map, const EarlierEstimates& earlier) {
  std::vector<Index> entries;
  for (const std::string& name : earlier.names) {
    const auto found = std::ranges::find(map.info(), name, &ParameterInfo::name);
    entries.push_back(found == map.info().end() ? -1 : found - map.info().begin());
  }
  return entries;
}

/// R with RᵀR = C⁻¹, from the correlations, because values have different units.
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& covariance) {
  const Vector inverse = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const sim::Spectrum spectrum = sim::symmetric_spectrum(inverse.asDiagonal() * covariance * inverse.asDiagonal());
  const Vector values = spectrum.values.cwiseMax(1e-12 * spectrum.values.maxCoeff());
  return values.cwiseSqrt().cwiseInverse().asDiagonal() * spectrum.vectors.transpose() * inverse.asDiagonal();
}

/// The posterior of those that this fit has, in θ.
Eigen::MatrixXd posterior_rows(const ParameterMap& map, const Vector& theta, const EarlierEstimates& earlier) {
  const std::vector<Index> all = entries_of(map, earlier);
  std::vector<Index> known, entries;
  for (std::size_t q = 0; q < all.size(); ++q)
    if (all[q] >= 0) {
      known.push_back(static_cast<Index>(q));
      entries.push_back(all[q]);
    }
  if (known.empty()) return Eigen::MatrixXd(0, map.size());
  const Eigen::MatrixXd root = inverse_root(earlier.covariance(known, known));
  const Vector slope = map.physical_derivative(theta);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(root.rows(), map.size());
  for (std::size_t k = 0; k < entries.size(); ++k)
    rows.col(entries[k]) = root.col(static_cast<Index>(k)) * slope[entries[k]];
  return rows;
}

}  // namespace

Vector start_at(const ParameterMap& map, const EarlierEstimates& earlier) {
  Vector theta = map.initial();
  const std::vector<Index> entries = entries_of(map, earlier);
  for (std::size_t q = 0; q < entries.size(); ++q)
    if (entries[q] >= 0) theta[entries[q]] = map.info()[entries[q]].transform.theta(earlier.estimate[q]);
  if (!theta.allFinite())
    throw InvalidArgument({"", "parameters", "must allow the estimates of the earlier fit", "",
                           "check the transforms and bounds of the parameters"});
  return theta;
}

Evaluation prior_rows(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier,
                      Eigen::MatrixXd& G) {
  const ParameterMap& map = fit.map();
  G = posterior_rows(map, theta, earlier);
  if (!fit.residual().has_priors()) return {};
  Vector r;
  Eigen::MatrixXd own;
  if (const Evaluation evaluation = fit.residual().priors().evaluate_widths(theta, r, own); !evaluation.ok())
    return evaluation;
  std::vector<bool> is_known(map.size(), false);
  for (const Index entry : entries_of(map, earlier))
    if (entry >= 0) is_known[entry] = true;
  std::vector<Index> kept;
  for (Index i = 0; i < own.rows(); ++i)
    for (Index k = 0; k < own.cols(); ++k)
      if (own(i, k) != 0 && !is_known[k]) {
        kept.push_back(i);
        break;
      }
  G.conservativeResize(G.rows() + static_cast<Index>(kept.size()), Eigen::NoChange);
  G.bottomRows(static_cast<Index>(kept.size())) = own(kept, Eigen::all);
  return {};
}

}  // namespace pithball::optim
