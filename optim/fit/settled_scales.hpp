#pragma once
#include "optim/fit/fit.hpp"
#include "optim/uncertainty/fit_rows.hpp"

namespace pithball::optim {

/// Rows of a fit at θ from residuals and derivatives of its trajectories there, with the loss's threshold times
/// `threshold_scale`.
Evaluation make_fit_rows(const ResolvedFit& fit, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J,
                         double threshold_scale, FitRows& rows);

/// The problem with sigma and the loss's threshold in units of these scales.
FitProblem with_scales(FitProblem problem, const ResidualScales& scales);

/// After a search: finds the scales of the residuals where priors or a loss ask for them and sigma is not called known,
/// and searches again from where the search ended, up to three times, until they settle (MacKay 1992). Moves
/// `report.theta`; a plain fit, whose minimum no scale moves, is left alone.
ResidualScales settle_scales(const ResolvedFit& fit, FitReport& report);

}  // namespace pithball::optim
