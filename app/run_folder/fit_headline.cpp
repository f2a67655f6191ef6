#include "app/run_folder/fit_headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "app/base/estimate_text.hpp"

namespace pithball::app {
namespace {

/// Returns infinity if the value is not determined, and NaN if its error is unknown.
double relative_error(const optim::FittedParameter& p) {
  return p.identifiable ? p.standard_error / std::abs(p.estimate) : std::numeric_limits<double>::infinity();
}

}  // namespace

std::string ValueDigest::sentence() const {
  std::string doubts;
  const auto add = [&](std::size_t some, const char* what) {
    if (some > 0) doubts += fmt::format("{}{} {}", doubts.empty() ? ": " : ", ", some, what);
  };
  add(not_determined, "not identifiable");
  add(at_bound, "at a bound");
  add(consistent_with_zero, "consistent with 0");
  add(without_error, "with an unknown error");
  return fmt::format("{} of {}{}.", count, value, doubts);
}

std::vector<optim::FittedParameter> requested_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<optim::FittedParameter> requested;
  std::ranges::copy_if(parameters, std::back_inserter(requested),
                       [](const optim::FittedParameter& p) { return !p.scope.is_nuisance; });
  return requested;
}

std::vector<optim::FittedParameter> nuisance_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<optim::FittedParameter> nuisance;
  std::ranges::copy_if(parameters, std::back_inserter(nuisance),
                       [](const optim::FittedParameter& p) { return p.scope.is_nuisance; });
  return nuisance;
}

ParametersByCount separate_by_count(const std::vector<optim::FittedParameter>& parameters) {
  std::map<std::string, std::size_t> count;
  for (const optim::FittedParameter& p : parameters) ++count[p.value];
  ParametersByCount separate;
  for (const optim::FittedParameter& p : parameters)
    (count[p.value] > std::tuple_size_v<FiveNumbers> ? separate.many : separate.few).push_back(p);
  return separate;
}

FiveNumbers five_numbers(std::vector<double> numbers) {
  std::erase_if(numbers, [](double number) { return !std::isfinite(number); });
  FiveNumbers five;
  five.fill(not_known);
  if (numbers.empty()) return five;
  std::ranges::sort(numbers);
  for (std::size_t q = 0; q < five.size(); ++q) {
    const double place = (numbers.size() - 1) * q / 4.0;
    const std::size_t below = place;
    const std::size_t above = std::min(below + 1, numbers.size() - 1);
    five[q] = std::lerp(numbers[below], numbers[above], place - below);
  }
  return five;
}

std::vector<ValueDigest> digest_parameters(const std::vector<optim::FittedParameter>& parameters) {
  std::vector<ValueDigest> digests;
  std::vector<std::vector<double>> estimates, errors;
  for (const optim::FittedParameter& p : parameters) {
    auto found = std::ranges::find(digests, p.value, &ValueDigest::value);
    if (found == digests.end()) {
      found = digests.insert(found, ValueDigest{});
      found->value = p.value;
      found->unit = p.unit;
      estimates.emplace_back();
      errors.emplace_back();
    }
    const std::size_t k = found - digests.begin();
    ++found->count;
    if (!p.identifiable) ++found->not_determined;
    if (p.interval.at_bound) ++found->at_bound;
    if (p.identifiable && !p.interval.at_bound && std::isnan(p.standard_error)) ++found->without_error;
    if (!std::isnan(p.interval.upper_limit) && p.interval.limit_holds) ++found->consistent_with_zero;
    estimates[k].push_back(p.estimate);
    errors[k].push_back(relative_error(p));
  }
  for (std::size_t k = 0; k < digests.size(); ++k) {
    digests[k].estimates = five_numbers(std::move(estimates[k]));
    digests[k].relative_errors = five_numbers(std::move(errors[k]));
  }
  return digests;
}

std::vector<std::size_t> least_certain(const std::vector<optim::FittedParameter>& parameters, std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < parameters.size(); ++k)
    if (!std::isnan(relative_error(parameters[k]))) order.push_back(k);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return relative_error(parameters[a]) > relative_error(parameters[b]);
  });
  order.resize(std::min(order.size(), count));
  return order;
}

namespace {

constexpr std::size_t most_named = 3;

/// Formats the magnitude of readings: with an SI prefix if the unit takes one; angles in degrees, as everywhere else.
std::string reading_text(double size, const optim::MeasurementKind& kind) {
  return kind.period > 0 ? kind.shown(size) : quantity_text(size, kind.unit);
}

double ratio(const optim::RecordingMisfit& one) { return one.misfit / one.noise; }

/// Whether the misfit of a recording exceeds three times its noise, which for large motions does not change the status.
bool is_beyond_noise(const optim::FitQuality& quality) {
  return std::ranges::any_of(quality.recordings, [](const optim::RecordingMisfit& one) { return ratio(one) > 3; });
}

/// "The fit stalled after 4 iterations"
std::string ending_as(optim::RunStatus status, const std::string& after) {
  return "The fit " + fmt::format(fmt::runtime(info(status).of_fit), after);
}

/// Describes how the search ended. If it converged, `status` may be the result of a check of the whole fit.
std::string ending(const FitRecord& fit) {
  const std::size_t count = fit.search.cost_history.empty() ? 0 : fit.search.cost_history.size() - 1;
  const std::string after = fmt::format("after {} iteration{}", count, count == 1 ? "" : "s");
  const optim::RunStatus status = fit.verdict.status;
  if (status == optim::RunStatus::Failed) return "The fit failed: " + fit.search.message;
  const bool is_minimum = info(status).grade != optim::Grade::Bad || status == optim::RunStatus::DoesNotFit;
  if (!is_minimum && *info(status).of_fit) return ending_as(status, after);
  if (status == optim::RunStatus::Converged)
    return ending_as(status, after) + (is_beyond_noise(fit.goodness.quality) ? ", but not to within the noise"
                                       : fit.goodness.has_correlated_residuals()
                                           ? " and fits, with correlated residuals"
                                           : " and fits");
  if (*info(status).of_fit) return ending_as(status, after);
  return ending_as(optim::RunStatus::Converged, after) + fmt::format(" and is \"{}\"", to_string(status));
}

/// "misfit 4.93 mm, 1.01 × the noise, reduced χ² 0.975", without the unknown ones.
std::string distances(const optim::FitQuality& quality) {
  std::string text;
  const auto worse = [](const optim::RecordingMisfit& a, const optim::RecordingMisfit& b) {
    if (std::isnan(ratio(b)) || std::isnan(ratio(a))) return std::isnan(ratio(a)) && !std::isnan(ratio(b));
    return ratio(a) < ratio(b);
  };
  const auto worst = std::max_element(quality.recordings.begin(), quality.recordings.end(), worse);
  if (worst != quality.recordings.end() && std::isfinite(worst->misfit)) {
    text += "misfit " + reading_text(worst->misfit, *worst->kind);
    if (std::isfinite(ratio(*worst))) text += fmt::format(", {} × the noise", quantity_text(ratio(*worst), ""));
    if (quality.recordings.size() > 1)
      text += fmt::format(" (in {}, the worst of {} recordings)", worst->recording, quality.recordings.size());
  }
  if (quality.is_comparable && std::isfinite(quality.reduced()))
    text += fmt::format("{}reduced χ² {}", text.empty() ? "" : ", ", quantity_text(quality.reduced(), ""));
  return text;
}

/// "Prediction of 2 recordings, nothing fitted: RMS error 0.41 mm, static baseline 1.7 mm."
std::string prediction_headline(const FitRecord& fit, const std::string& found) {
  const optim::PositionErrors& e = fit.goodness.errors.validation_frames;
  const std::size_t count = fit.recordings.size();
  const std::string what =
      fmt::format("Prediction of {} recording{}, nothing fitted{}", count, count == 1 ? "" : "s", found);
  if (!e.kind || !std::isfinite(e.model)) return what + ".";
  return fmt::format("{}{} RMS error {}, static baseline {}, constant velocity {}.", what, found.empty() ? ":" : ";",
                     reading_text(e.model, *e.kind), reading_text(e.static_baseline, *e.kind),
                     reading_text(e.constant_velocity, *e.kind));
}

/// Lists the faults that the file does not address: ": tracks: frames 20 to 22 of marker 'A' are exactly (0, 0)
/// (`missing: [0]`) and 2 more findings".
std::string faults(const FitRecord& fit) {
  const std::vector<RecordingFinding> open = open_faults(fit.findings);
  if (open.empty()) return "";
  std::string text = ": " + open.front().sentence();
  if (const std::string& key = open.front().finding.key; !key.empty()) text += fmt::format(" (`{}`)", key);
  if (open.size() > 1) text += fmt::format(" and {} more finding{}", open.size() - 1, open.size() == 2 ? "" : "s");
  return text;
}

/// Why numbers that can be used should be checked first: what a test says that the model lacks, or another reason.
std::string doubts(const FitRecord& fit) {
  const bool is_doubtful = fit.verdict.status == optim::RunStatus::Doubtful;
  if (!is_doubtful && fit.verdict.status != optim::RunStatus::NotUnique) return "";
  if (fit.goodness.suspect) return fit.goodness.suspect->reason;
  return is_doubtful ? fit.verdict.reason() : "";
}

}  // namespace

std::string parameter_headline(const optim::FittedParameter& p, double confidence) {
  if (!p.identifiable) return p.name + " not identifiable";
  if (!std::isnan(p.interval.upper_limit) && !p.interval.limit_holds)
    return fmt::format("{} < {} (of a model that does not fit)", p.name,
                       quantity_text(p.interval.upper_limit, p.unit, 2));
  if (!std::isnan(p.interval.upper_limit))
    return p.name + " " + upper_limit_text(p.interval.upper_limit, confidence, p.unit);
  if (p.interval.method == optim::IntervalMethod::Scan)  // its standard error describes only one of many narrow minima
    return fmt::format("{} {} ({:g} % interval {} to {})", p.name, quantity_text(p.estimate, p.unit), 100 * confidence,
                       quantity_text(p.interval.lower, p.unit), quantity_text(p.interval.upper, p.unit));
  return p.name + " " + estimate_text(p.estimate, p.standard_error, p.unit);
}

std::string fit_headline(const FitRecord& fit) {
  const std::string found = faults(fit);
  if (fit.estimates.parameters.empty() && fit.verdict.status != optim::RunStatus::Failed)
    return prediction_headline(fit, found);
  std::string text = ending(fit) + found, separator = found.empty() ? ": " : "; ";
  if (fit.verdict.status == optim::RunStatus::Failed) return text + ".";
  for (const std::string& known : {doubts(fit), distances(fit.goodness.quality)}) {
    if (known.empty()) continue;
    text += separator + known;
    separator = "; ";
  }
  text += ".";
  std::vector<optim::FittedParameter> listed = requested_parameters(fit.estimates.parameters);
  if (listed.empty()) listed = fit.estimates.parameters;
  const std::size_t named = std::min(most_named, listed.size());
  for (std::size_t k = 0; k < named; ++k)
    text += (k == 0 ? " " : ", ") + parameter_headline(listed[k], fit.estimates.confidence);
  if (named < listed.size()) text += fmt::format(" and {} more", listed.size() - named);
  return named > 0 ? text + "." : text;
}

}  // namespace pithball::app
