#pragma once
#include "optim/fit/report.hpp"
#include "optim/uncertainty/fit_rows.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Rows of a fit at θ from residuals and derivatives of its trajectories, with the loss's threshold multiplied by
/// `threshold_scale`.
Evaluation make_fit_rows(const ResolvedFit& fit, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J,
                         double threshold_scale, FitRows& rows);

/// The problem with sigma and the loss's threshold in units of these scales.
FitProblem with_scales(FitProblem problem, const ResidualScales& scales);

/// After a search: estimates the scales of the residuals if priors or a loss need them and sigma is not absolute, and
/// searches again from the end of the search, up to three times, until they settle (MacKay 1992). Changes
/// `report.theta`; a plain fit, whose minimum does not depend on scales, is not changed.
ResidualScales settle_scales(const ResolvedFit& fit, FitReport& report);

}  // namespace pithball::optim
