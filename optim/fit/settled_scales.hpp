#pragma once
#include <string>

#include "optim/fit/search.hpp"
#include "optim/uncertainty/fit_rows.hpp"

namespace pithball::optim {

class ResolvedFit;

/// Rows of a fit at θ from residuals and derivatives of its trajectories, with the loss's threshold multiplied by
/// `threshold_scale`.
Evaluation make_fit_rows(const ResolvedFit& fit, const Vector& theta, const Vector& r, const Eigen::MatrixXd& J,
                         double threshold_scale, FitRows& rows);

/// The problem with sigma and the loss's threshold in units of these scales.
FitProblem with_scales(FitProblem problem, const ResidualScales& scales);

/// The scales of the residuals, and where the search with them ended.
struct SettledScales {
  ResidualScales scales;  ///< of the last search
  SearchEnd end;          ///< its end
  std::string failure;    ///< why the search with new scales failed, in a sentence; empty: it did not
};

/// After a search: estimates the scales of the residuals if priors or a loss need them and sigma is not absolute, and
/// searches again from the end of the search, up to three times, until they settle (MacKay 1992). A plain fit, whose
/// minimum does not depend on scales, stays where it is.
SettledScales settle_scales(const ResolvedFit& fit, SearchEnd end, const MinimizerWatch& watch);

}  // namespace pithball::optim
