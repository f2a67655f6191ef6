#include "optim/fit/held_values.hpp"

#include <algorithm>
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
  std::vector<Eigen::MatrixXd> of_recording;
  const Index P = rows.parameters();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(P, P);
  for (const std::size_t s : rows.order.recordings) {
    of_recording.emplace_back(Eigen::MatrixXd::Zero(P, P));
    const auto place = std::ranges::find(recordings, s);
    if (place == recordings.end()) continue;
    std::set<Index> moved;
    for (const ParameterEntry& entry : fit.map().entries(static_cast<Index>(s))) moved.insert(entry.index);
    for (const ValueError& error : held[s]) {
      const Eigen::MatrixXd seen =
          rows_of(error, moved, gradients[place - recordings.begin()]).transpose() * error.root;
      of_recording.back() += seen * seen.transpose();
    }
    sum += of_recording.back();
  }
  const Eigen::MatrixXd inverse = H.inverse() / (errors.posterior.data_scale * errors.posterior.data_scale);
  const Eigen::MatrixXd added = inverse * sum * inverse;
  errors.homogeneity = compare_recordings(rows, scores, errors.posterior, of_recording);
  add_covariance(added, fit.problem().uncertainty.options.confidence, errors);
  return {};
}

}  // namespace pithball::optim
