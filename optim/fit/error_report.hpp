#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/uncertainty/parameter_errors.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Samples that a robust loss treats as outliers, in one recording (`Downweighted`).
struct OutlierReport {
  std::string recording;     ///< as in Scenario::name
  Index samples = 0,         ///< number with a weight below one half
      of = 0;                ///< number of all its fitted samples
  std::string worst_marker;  ///< name of the marker with most of them
  Index worst_samples = 0;   ///< its number of them
  double first = 0,          ///< recorded time of the first of them [s]
      last = 0;              ///< of the last one [s]
};

/// The recording without which the estimates change most.
struct MostInfluential {
  std::string recording;     ///< empty: fewer than four recordings
  double cook_distance = 0;  ///< its Cook's distance
  std::string moved;         ///< the parameter that changes most without it
  double moved_by = 0;       ///< its change, in formal standard errors
};

/// Width of a smooth prior that was given none (prior_widths.hpp).
struct PriorWidth {
  std::string parameter;  ///< its declaration
  double standard_deviation =
      0;                  ///< of the differences of neighbors, in the unit of the values, or of their logarithms
  bool relative = false;  ///< whether of logarithms
};

/// What priors do to the estimates.
struct PriorEffect {
  /// γ: number of values determined by the data; priors determine the rest. NaN: unknown.
  double determined_by_data = std::numeric_limits<double>::quiet_NaN();
  /// Parameters of whose information, (C (J_dᵀJ_d/s²))_kk of 1, the data give less than a tenth.
  std::vector<std::string> by_priors_alone;
  std::vector<PriorWidth> widths;  ///< that were found
};

/// How the standard errors were computed, for all parameters together.
struct ErrorReport {
  Index frames = 0;  ///< F, of all recordings; 0: errors were not computed
  double autocorrelation = std::numeric_limits<double>::quiet_NaN();  ///< ρ from frame to frame
  double mean_ratio = std::numeric_limits<double>::quiet_NaN();  ///< robust errors relative to formal ones, on average
  bool by_mean_ratio = false;                                    ///< robust errors are the formal ones times it
  PriorEffect priors;                                            ///< what priors do to the estimates
  MostInfluential most_influential;                              ///< of the recordings
  double loss_threshold = std::numeric_limits<double>::quiet_NaN();  ///< in units of sigma; NaN: no loss
  /// By recording; recordings without outliers are omitted; empty without a loss.
  std::vector<OutlierReport> outliers;
  Index samples = 0;   ///< number of samples for the errors (sampled_errors.hpp); 0: from the whole Jacobian
  Index products = 0;  ///< number of products with the Jacobian, and equally many with its transpose
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< likewise
  std::vector<std::string> exact;  ///< parameters whose errors are computed exactly nevertheless

  /// Remarks for the reader of the intervals, one line each.
  std::vector<std::string> sentences() const;
};

/// From a fit's errors, without its outliers; `recordings`: the names of all scenarios.
ErrorReport report_errors(const FitRows& fit, const AllErrors& errors, const std::vector<std::string>& names,
                          const std::vector<std::string>& recordings);

/// An entry of `uncertainty.prior_widths` in fit.json.
void fields(FieldVisitor& v, PriorWidth& width);
/// An entry of `uncertainty.outliers` in fit.json.
void fields(FieldVisitor& v, OutlierReport& one);
/// `uncertainty` of fit.json.
void fields(FieldVisitor& v, ErrorReport& report);

}  // namespace pithball::optim
