#include "optim/fit/error_report.hpp"

#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Values of which the data say next to nothing.
std::vector<std::string> determined_by_priors(const FitRows& fit, const Posterior& posterior,
                                              const std::vector<std::string>& names) {
  constexpr double next_to_nothing = 0.1;
  std::vector<std::string> found;
  if (fit.prior_J.rows() == 0) return found;
  const Eigen::MatrixXd root = posterior.formal.root * posterior.formal.scale.s;  // C = root rootᵀ
  const Eigen::MatrixXd informed = (fit.prior_J * root).transpose() * fit.prior_J;
  for (Index k = 0; k < fit.prior_J.cols(); ++k)
    if (1 - root.row(k).dot(informed.col(k)) < next_to_nothing) found.push_back(names[k]);
  return found;
}

}  // namespace

std::vector<std::string> ErrorReport::sentences() const {
  std::vector<std::string> said;
  if (frames > 0 && std::isfinite(mean_ratio)) {
    std::string text = formatted(
        "standard errors and intervals are those of this model; robust ones are %.3g times the formal ones on average "
        "(%lld frames, autocorrelation %.2f)",
        mean_ratio, static_cast<long long>(frames), autocorrelation);
    if (by_mean_ratio)
      text += "; there are too few frames per parameter to distinguish them: all are scaled by this factor";
    said.push_back(text);
  }
  if (samples > 0)
    said.push_back(
        formatted("standard errors come from %lld random samples, which makes them accurate to %.0f %%; %lld products "
                  "with the Jacobian and its transpose, %.3g s",
                  static_cast<long long>(samples), 50 * std::sqrt(2 / static_cast<double>(samples)),
                  static_cast<long long>(products), seconds));
  if (!most_influential.recording.empty())
    said.push_back(formatted("most influential recording: %s, without which %s moves by %.2g formal standard errors",
                             most_influential.recording.c_str(), most_influential.moved.c_str(),
                             most_influential.moved_by));
  for (const OutlierReport& one : outliers)
    said.push_back(formatted(
        "%s: %lld of %lld samples are downweighted by more than half, from %.3g to %.3g s; %lld of them belong to %s",
        one.recording.c_str(), static_cast<long long>(one.samples), static_cast<long long>(one.of), one.first, one.last,
        static_cast<long long>(one.worst_samples), one.worst_marker.c_str()));
  return said;
}

ErrorReport report_errors(const FitRows& fit, const AllErrors& errors, const std::vector<std::string>& names,
                          const std::vector<std::string>& recordings) {
  ErrorReport report;
  report.frames = errors.robust.frames;
  report.autocorrelation = errors.robust.autocorrelation;
  report.mean_ratio = errors.robust.mean_ratio;
  report.by_mean_ratio = errors.robust.by_mean_ratio;
  report.priors = {errors.posterior.determined_by_data, determined_by_priors(fit, errors.posterior, names), {}};
  if (fit.loss.kind != RobustLoss::Kind::None) report.loss_threshold = fit.loss.threshold;
  const Jackknife& jackknife = errors.jackknife;
  if (jackknife.most_influential < 0) return report;
  report.most_influential.recording = recordings[fit.order.recordings[jackknife.most_influential]];
  report.most_influential.cook_distance = jackknife.cook_distance;
  report.most_influential.moved = names[jackknife.moved_most];
  report.most_influential.moved_by = jackknife.shifts(jackknife.moved_most, jackknife.most_influential) /
                                     errors.posterior.formal.standard_error[jackknife.moved_most];
  return report;
}

void fields(FieldVisitor& v, PriorWidth& width) {
  v.is("PriorWidth", "width of a smooth prior that was given none: the most likely one");
  v("parameter", width.parameter, "the declared parameter");
  v("standard_deviation", width.standard_deviation,
    "of the differences of neighbors, in the unit of the values, or of their logarithms");
  v("relative", width.relative, "whether of logarithms");
}

void fields(FieldVisitor& v, OutlierReport& one) {
  v.is("Outliers", "samples of one recording that a robust loss treats as outliers");
  v("recording", one.recording, "as in the experiment file");
  v("samples", one.samples, "number of samples with a weight below one half");
  v("of", one.of, "number of all its fitted samples");
  v("worst_marker", one.worst_marker, "the marker with most of them");
  v("worst_samples", one.worst_samples, "its number of them");
  v("first", one.first, in("s"), "recorded time of the first of them");
  v("last", one.last, in("s"), "recorded time of the last of them");
}

void fields(FieldVisitor& v, ErrorReport& report) {
  v.is("Uncertainty", "how the standard errors were computed, for all parameters together");
  v("frames", report.frames, "number of frames of all recordings");
  v("autocorrelation", report.autocorrelation, "of the residuals from frame to frame");
  v("mean_ratio", report.mean_ratio, "robust errors relative to formal ones, on average");
  v("by_mean_ratio", report.by_mean_ratio, "whether robust errors are the formal ones times it");
  v("determined_by_data", report.priors.determined_by_data,
    "number of values determined by the data; priors determine the rest");
  v("determined_by_priors", report.priors.by_priors_alone,
    "parameters of whose information the data give less than a tenth");
  v("prior_widths", report.priors.widths, "of smooth priors that were given none");
  v.block("most_influential", "MostInfluential", "the recording without which the estimates change most", [&] {
    v("recording", or_null(report.most_influential.recording), "its name; null: fewer than four recordings");
    v("cook_distance", report.most_influential.cook_distance, "Cook's distance");
    v("parameter", or_null(report.most_influential.moved), "the parameter that changes most without it");
    v("change_in_formal_errors", report.most_influential.moved_by, "its change, in formal standard errors");
  });
  v("loss_threshold", report.loss_threshold, "threshold of the robust loss, in units of sigma; null: none");
  v("samples", report.samples, "number of samples for the errors; 0: from the whole Jacobian");
  v("products", report.products, "number of products with the Jacobian, and as many with its transpose");
  v("seconds", report.seconds, in("s"), "time that they took");
  v("exact", report.exact, "parameters whose errors are exact nevertheless");
  v("outliers", report.outliers, "by recording with outliers");
}

}  // namespace pithball::optim
