#include "app/run/earlier_fit.hpp"

#include <cmath>

#include "app/run_folder/finished_fit.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

optim::PredictedParameter as_predicted(const optim::FittedParameter& p) {
  optim::PredictedParameter predicted;
  predicted.name = p.name;
  predicted.value = p.value;
  predicted.unit = p.unit;
  predicted.at = p.estimate;
  predicted.standard_error = p.standard_error;
  predicted.interval_lower = p.interval.lower;
  predicted.interval_upper = p.interval.upper;
  if (p.identifiable) predicted.determination = optim::Determination::Determined;
  predicted.weak_direction = p.weak_direction;
  return predicted;
}

bool has_error(const optim::FittedParameter& p) {
  return !p.scope.is_nuisance && std::isfinite(p.standard_error) && p.standard_error > 0;
}

optim::EarlierEstimates estimates_of(const FitRecord& fit) {
  std::vector<std::size_t> known;
  optim::EarlierEstimates earlier;
  for (std::size_t k = 0; k < fit.estimates.parameters.size(); ++k)
    if (has_error(fit.estimates.parameters[k])) {
      known.push_back(k);
      earlier.names.push_back(fit.estimates.parameters[k].name);
    }
  const auto count = static_cast<Index>(known.size());
  const Eigen::MatrixXd& all = fit.estimates.correlation;
  earlier.estimate.resize(count);
  earlier.covariance = Eigen::MatrixXd::Zero(count, count);
  for (Index i = 0; i < count; ++i) {
    const optim::FittedParameter& own = fit.estimates.parameters[known[i]];
    earlier.estimate[i] = own.estimate;
    for (Index k = 0; k < count; ++k) {
      const double correlation = i == k ? 1 : all.size() == 0 ? 0 : all(known[i], known[k]);
      if (std::isfinite(correlation))
        earlier.covariance(i, k) = correlation * own.standard_error * fit.estimates.parameters[known[k]].standard_error;
    }
  }
  return earlier;
}

}  // namespace

EarlierFit read_earlier_fit(const std::filesystem::path& folder) {
  const Run run = read_run(folder);
  const FitRecord& fit = finished_fit(run);
  if (fit.verdict.status == optim::RunStatus::Failed || fit.verdict.status == optim::RunStatus::Stopped)
    throw InvalidArgument({folder.string(), "status", "must be that of a finished search",
                           "'" + to_string(fit.verdict.status) + "'", "finish the fit first"});
  EarlierFit earlier{folder.string(), estimates_of(fit), {}, {}};
  if (earlier.estimates.empty())
    throw InvalidArgument({folder.string(), "fit.json", "must hold a parameter with a standard error", "none",
                           "fit with `standard_errors: computed`, or recordings that determine a parameter"});
  earlier.known.confidence = fit.estimates.confidence;
  earlier.known.spectrum.condition = fit.estimates.condition;
  for (const optim::FittedParameter& p : fit.estimates.parameters)
    if (!p.scope.is_nuisance) earlier.known.parameters.push_back(as_predicted(p));
  if (fit.verdict.status != optim::RunStatus::Converged)
    earlier.notes.push_back("the fit " + folder.string() + " ended as \"" + to_string(fit.verdict.status) +
                            "\": its estimates and errors, on which this plan rests, are doubtful" +
                            (fit.verdict.why.empty() ? "" : " (" + fit.verdict.why + ")"));
  return earlier;
}

}  // namespace pithball::app
