#include "optim/fit/held_values.hpp"

#include <set>

#include "optim/fit/resolved_fit.hpp"
#include "optim/residual/value_gradients.hpp"

namespace pithball::optim {
namespace {

/// The rows of `gradient` that an error is of; zero where θ moves the value.
Eigen::MatrixXd rows_of(const ValueError& error, const std::set<Index>& moved, const Eigen::MatrixXd& gradient) {
  Eigen::MatrixXd rows(static_cast<Index>(error.entries.size()), gradient.cols());
  for (std::size_t k = 0; k < error.entries.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const Index entry = error.entries[k];
    if (moved.contains(entry))
      rows.row(row).setZero();
    else
      rows.row(row) = gradient.row(entry);
  }
  return rows;
}

}  // namespace

Evaluation carry_held_values(const ResolvedFit& fit, const Vector& theta, const FitRows& rows, const Scores& scores,
                             AllErrors& errors) {
  const auto& held = fit.problem().value_errors;
  std::vector<std::size_t> recordings;
  for (std::size_t s = 0; s < held.size(); ++s)
    if (!held[s].empty()) recordings.push_back(s);
  if (recordings.empty() || errors.posterior.formal.spectrum.rank == 0) return {};
  const FitCurvature H(rows, scores, errors.posterior);
  if (!H.ok()) return {"the residuals have no scale, or the loss has no curvature along a direction"};
  std::vector<Eigen::MatrixXd> gradients;
  const Evaluation evaluation =
      compute_value_gradients(fit.residual().trajectories(), theta, recordings, weigh_derivatives(rows), gradients);
  if (!evaluation.ok()) return evaluation;
  const double tau = errors.posterior.data_scale;
  Eigen::MatrixXd added = Eigen::MatrixXd::Zero(rows.parameters(), rows.parameters());
  for (std::size_t g = 0; g < recordings.size(); ++g) {
    std::set<Index> moved;
    for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(recordings[g]))) moved.insert(entry.index);
    for (const ValueError& error : held[recordings[g]]) {
      const Eigen::MatrixXd seen = rows_of(error, moved, gradients[g]).transpose() * error.root;
      const Eigen::MatrixXd G = H.inverse() * seen / (tau * tau);
      added += G * G.transpose();
    }
  }
  add_covariance(added, fit.problem().uncertainty.options.confidence, errors);
  return {};
}

}  // namespace pithball::optim
