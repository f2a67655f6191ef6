#include "optim/fit/error_report.hpp"

#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::optim {

std::vector<std::string> ErrorReport::sentences() const {
  std::vector<std::string> said;
  if (frames > 0 && std::isfinite(mean_ratio)) {
    std::string text = formatted(
        "robust standard errors are %.3g times the formal ones on average (%lld frames, autocorrelation %.2f)",
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
  if (!most_influential.empty())
    said.push_back(formatted("most influential recording: %s, without which %s moves by %.2g formal standard errors",
                             most_influential.c_str(), moved.c_str(), moved_by));
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
  report.determined_by_data = errors.posterior.determined_by_data;
  if (fit.loss.kind != RobustLoss::Kind::None) report.loss_threshold = fit.loss.threshold;
  const Jackknife& jackknife = errors.jackknife;
  if (jackknife.most_influential < 0) return report;
  report.most_influential = recordings[fit.order.recordings[jackknife.most_influential]];
  report.cook_distance = jackknife.cook_distance;
  report.moved = names[jackknife.moved_most];
  report.moved_by = jackknife.shifts(jackknife.moved_most, jackknife.most_influential) /
                    errors.posterior.formal.standard_error[jackknife.moved_most];
  return report;
}

}  // namespace pithball::optim
