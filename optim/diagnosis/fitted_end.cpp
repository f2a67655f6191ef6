#include "optim/diagnosis/fitted_end.hpp"

#include "optim/fit/judged_starts.hpp"
#include "optim/fit/resolved_fit.hpp"

namespace pithball::optim {

SeenAt::SeenAt(const ResolvedFit& fit, const Vector& theta) : observations(fit.problem().observations) {
  for (std::size_t s = 0; s < observations.size(); ++s) {
    observations[s].recording_frame = fit.map().recording_frame(theta, static_cast<Index>(s));
    recording_frames.push_back(observations[s].recording_frame);
  }
}

TrajectoryResidual SeenAt::residual_of(const std::vector<Parameter>& declarations,
                                       const std::vector<diff::Scenario>& scenarios) const {
  return {ParameterMap(scenarios, declarations, recording_frames), observations};
}

FittedEnd::FittedEnd(const ResolvedFit& fit, const Vector& at, const BoundedErrors& there)
    : theta(at), errors(there), scenarios(fit.map().scatter(at)), seen(fit, at) {}

Evaluation find_errors(const ResolvedFit& fit, const Vector& theta, const ResidualScales& scales,
                       BoundedErrors& errors) {
  const TrajectoryResidual& trajectories = fit.residual().trajectories();
  Vector r;
  Eigen::MatrixXd J;
  FitRows rows;
  Evaluation evaluation = trajectories.evaluate(theta, r, &J);
  if (evaluation.ok()) evaluation = make_fit_rows(fit, theta, r, J, scales.threshold, rows);
  if (evaluation.ok()) errors = compute_bounded_errors(fit, theta, std::move(rows), scales.data);
  return evaluation;
}

}  // namespace pithball::optim
