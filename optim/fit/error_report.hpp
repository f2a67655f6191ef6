#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/uncertainty/parameter_errors.hpp"

namespace pithball::optim {

/// Samples that a loss has taken for outliers, in one recording (`Downweighted`).
struct OutlierReport {
  std::string recording;
  Index samples = 0, of = 0;
  std::string worst_marker;
  Index worst_samples = 0;
  double first = 0, last = 0;  ///< recorded time [s]
};

/// What standard errors rest on, of all parameters together.
struct ErrorReport {
  Index frames = 0;  ///< F, over all recordings; 0: errors were not computed
  double autocorrelation = std::numeric_limits<double>::quiet_NaN();     ///< ρ from frame to frame
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();          ///< robust over formal, in the mean
  bool by_mean_ratio = false;                                            ///< robust errors are the formal ones times it
  double determined_by_data = std::numeric_limits<double>::quiet_NaN();  ///< γ: the rest is told by priors
  std::string most_influential;                                          ///< recording; empty: fewer than four
  double cook_distance = 0;
  std::string moved;                                                 ///< the parameter that leaving it out moves most
  double moved_by = 0;                                               ///< by so many of its formal standard errors
  double loss_threshold = std::numeric_limits<double>::quiet_NaN();  ///< in units of sigma; NaN: no loss
  std::vector<OutlierReport> outliers;
  Index samples = 0;   ///< that errors come from (sampled_errors.hpp); 0: from the whole Jacobian
  Index products = 0;  ///< with the Jacobian, and as many with its transpose, that they took
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< likewise
  std::vector<std::string> exact;                             ///< parameters whose errors are nevertheless not samples'

  /// What a reader of the intervals should know, a line each.
  std::vector<std::string> sentences() const;
};

/// Of a fit's errors, without its outliers; `recordings`: the names of all scenarios.
ErrorReport report_errors(const FitRows& fit, const AllErrors& errors, const std::vector<std::string>& names,
                          const std::vector<std::string>& recordings);

}  // namespace pithball::optim
