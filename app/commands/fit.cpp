#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/base/estimate_text.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/experiment/recording/marker_list.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/fit_run.hpp"
#include "app/run_folder/fit_headline.hpp"
#include "optim/fit/minima.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

/// Returns the last columns of the table: the uncertainty of a value.
std::string error_text(const optim::FittedParameter& p, double confidence) {
  if (!p.identifiable && !std::isfinite(p.standard_error))
    return fmt::format("{:>12}   not identifiable: {}", "inf", p.weak_direction);
  if (std::isnan(p.standard_error)) return fmt::format("{:>12}   error unknown", "");
  std::string kind = std::isfinite(p.standard_error) ? optim::to_string(p.errors.widest) : "";
  if (p.interval.method != optim::IntervalMethod::Linear) kind += ", " + optim::to_string(p.interval.method);
  if (!p.identifiable) kind += ", not identifiable";
  if (!std::isnan(p.interval.upper_limit) && !p.interval.limit_holds)
    return fmt::format("{:>12.2g}   < {:.2g} of a model that does not fit {}", p.standard_error, p.interval.upper_limit,
                       kind);
  if (!std::isnan(p.interval.upper_limit))
    return fmt::format("{:>12.2g}   < {:.2g} ({:g} %), consistent with 0 {}", p.standard_error, p.interval.upper_limit,
                       100 * confidence, kind);
  return fmt::format("{:>12.2g}   [{:.6g}, {:.6g}] {}", p.standard_error, p.interval.lower, p.interval.upper, kind);
}

/// Returns five-number summaries of each value, and the least certain parameters.
std::string digest_text(const std::vector<optim::FittedParameter>& parameters, double confidence) {
  std::string text = fmt::format("{:<28} {:>13} {:>13} {:>13} {:>13} {:>13}\n", "value", "least", "lower quart.",
                                 "median", "upper quart.", "largest");
  const auto add = [&](const std::string& of, const FiveNumbers& numbers) {
    text += fmt::format("{:<28}", of);
    for (const double number : numbers) text += fmt::format(" {:>13.4g}", number);
    text += "\n";
  };
  for (const ValueDigest& one : digest_parameters(parameters)) {
    add(name_with_unit(one.value, one.unit), one.estimates);
    add("  std. error / |estimate|", one.relative_errors);
    text += "  " + one.sentence() + "\n";
  }
  for (const std::size_t k : least_certain(parameters, 10))
    text += "  least certain: " + parameter_headline(parameters[k], confidence) + "\n";
  return text + fmt::format("  all {} rows: fit.json\n", parameters.size());
}

std::string parameter_rows(const std::vector<optim::FittedParameter>& parameters, double confidence) {
  std::string text;
  for (const optim::FittedParameter& p : parameters) {
    const std::string unit = p.unit.empty() ? "" : " [" + p.unit + "]";
    text += fmt::format("{:<28} {:>14.6g} {:>14.6g} ", p.name + unit, p.initial, p.estimate);
    text += error_text(p, confidence);
    text += p.interval.at_bound ? "  (at a bound)\n" : "\n";
  }
  return text;
}

/// Returns a row for each parameter; if there are many, values with at most five are listed and the others summarized.
std::string list_parameters(const std::vector<optim::FittedParameter>& parameters, double confidence) {
  ParametersByCount shown{parameters, {}};
  if (parameters.size() > most_listed_parameters) shown = separate_by_count(parameters);
  std::string text;
  if (!shown.few.empty())
    text = fmt::format("{:<28} {:>14} {:>14} {:>12}   {:g} % interval\n", "parameter", "start", "estimate",
                       "std. error", 100 * confidence) +
           parameter_rows(shown.few, confidence);
  if (!shown.many.empty()) text += (text.empty() ? "" : "\n") + digest_text(shown.many, confidence);
  return text;
}

/// Returns the estimates: the requested parameters first, and below them the alternative minima that fit equally well.
std::string parameter_table(const FitRecord& fit, double confidence) {
  const std::vector<optim::FittedParameter> requested = requested_parameters(fit.estimates.parameters),
                                            nuisance = nuisance_parameters(fit.estimates.parameters);
  std::string text;
  if (!requested.empty()) text += list_parameters(requested, confidence);
  if (!nuisance.empty())
    text += std::string(requested.empty() ? "" : "\n") + "nuisance parameters, which had to be fitted too:\n" +
            list_parameters(nuisance, confidence);
  if (fit.estimates.parameters.size() > most_listed_parameters) return text;
  for (const optim::AlternativeEstimate& other : fit.estimates.alternatives)
    text += fmt::format("equally good ({}, {} of {} searches):\n", optim::say_delta(other.minimum.delta_chi_square),
                        other.minimum.searches, fit.search.searches()) +
            parameter_rows(other.parameters, confidence);
  return text;
}

std::string errors_text(const char* part, const optim::PositionErrors& e) {
  if (e.samples == 0) return "";
  if (!e.kind) return fmt::format("  {:<9} {} samples of several units: see each recording\n", part, e.samples);
  const double factor = e.kind->shown_unit.factor;
  const std::string& unit = e.kind->shown_unit.name;
  return fmt::format("  {:<9} RMS {:.4g} {} ({} samples); baselines: static {:.4g} {}, constant velocity {:.4g} {}\n",
                     part, factor * e.model, unit, e.samples, factor * e.static_baseline, unit,
                     factor * e.constant_velocity, unit);
}

/// Returns the findings from the residuals and the profiles, one per line.
std::string findings_text(const FitRecord& fit) {
  std::string text;
  for (const optim::RecordingWhiteness& recording : fit.goodness.whiteness)
    text += fmt::format(
        "  residuals of {}: lag-1 autocorrelation {:.2f}, Ljung–Box p = {:.2g}, effective samples {:.0f} of {}\n",
        recording.recording, recording.all.lag_1, recording.all.p_value, recording.all.effective_samples,
        recording.all.samples);
  for (const optim::FittedProfile& p : fit.estimates.profiles)
    text +=
        fmt::format("  profile of {}: {:g} % interval {}{:.6g}, {:.6g}{}\n", p.name, 100 * fit.estimates.confidence,
                    p.open_below.empty() ? "[" : "(open below ", std::isnan(p.interval_lower) ? 0 : p.interval_lower,
                    p.interval_upper, p.open_above.empty() ? "]" : " open above)");
  return text;
}

/// Returns the misfit of each recording, one per line, and χ².
std::string quality_text(const optim::FitQuality& quality) {
  std::string text;
  for (const optim::RecordingMisfit& one : quality.recordings)
    text += fmt::format("  {} ({})\n", one.sentence(), one.noise_said);
  if (quality.degrees > 0)
    text += fmt::format("  reduced χ² {:.3g}, {} degrees of freedom{}\n", quality.reduced(), quality.degrees,
                        quality.is_comparable ? "" : " (sigma is only a relative weight here)");
  return text;
}

std::string validation_text(const std::vector<JudgedRecording>& all) {
  std::string text;
  for (const JudgedRecording& judged : all)
    text += fmt::format("  cross-validation ({}), {}: RMS {} ({} samples); static baseline {}\n", judged.status,
                        judged.errors.recording, judged.errors.all.kind->shown(judged.errors.all.model),
                        judged.errors.all.samples, judged.errors.all.kind->shown(judged.errors.all.static_baseline));
  return text;
}

std::string halving_text(const optim::HalvedStep& halved) {
  std::string text = halved.another_minimum ? "  halving the time step leads to another minimum\n" : "";
  for (const optim::HalvedStep::Change& change : halved.parameters)
    text +=
        fmt::format("  halving the time step changes {} by {} standard errors\n", change.name,
                    std::isfinite(change.in_standard_errors) ? fmt::format("{:.3g}", change.in_standard_errors) : "?");
  return text;
}

int run(const std::string& file, bool halve_step, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const FitSpec spec = read_fit(document);
  const auto say = [&](const FitScreening& screening) {  // before the search, which findings may spoil
    for (const std::string& sentence : screening.sentences())
      if (!options.quiet) print_message("{}: {}\n", file, printable(sentence));
  };
  const FitResult result =
      run_fit(spec, {run_order("fit", file, document, options, run_target(options, spec.base.name)), halve_step, say});
  const FitRecord& fit = result.record;

  std::string text = fit_headline(fit) + "\n";
  if (fit.estimates.parameters.empty())
    text += fmt::format("{}: {} in {:.3g} s\n\n", spec.base.name, to_string(fit.verdict.status), fit.seconds);
  else
    text += fmt::format("{}: {} after {} iterations in {:.3g} s\n\n{}\n", spec.base.name, to_string(fit.verdict.status),
                        fit.search.cost_history.empty() ? 0 : fit.search.cost_history.size() - 1, fit.seconds,
                        parameter_table(fit, spec.problem().uncertainty.options.confidence));
  if (const std::string held = fit.estimates.held.sentence(); !held.empty()) text += "  " + held + "\n";
  if (fit.search.status == optim::MinimizerStatus::Converged && fit.verdict.grade() != optim::Grade::Good)
    text += fmt::format("  {}: {}\n", to_string(fit.verdict.status), fit.verdict.explanation());
  for (const Recording& recording : spec.recordings)
    if (const std::string attached = attachment_text(recording.observation.markers, recording.attachment_distance);
        !attached.empty())
      text += fmt::format("  {}: {}\n", recording.name, attached);
  text += errors_text("fitted", fit.goodness.errors.fit) +
          errors_text("validation", fit.goodness.errors.validation_frames) +
          errors_text("unseen", fit.goodness.errors.validation_markers);
  text += quality_text(fit.goodness.quality);
  for (const std::string& sentence : fit.search.summary) text += "  " + sentence + "\n";
  for (const std::string& sentence : fit.estimates.uncertainty.sentences()) text += "  " + sentence + "\n";
  if (std::isfinite(fit.estimates.condition))
    text += fmt::format("  condition of the scaled Jacobian {:.3g}\n", fit.estimates.condition);
  if (fit.halved_step && fit.verdict.status != optim::RunStatus::DoesNotFit)  // meaningless at wrong parameters
    text += halving_text(*fit.halved_step);
  text += validation_text(fit.cross_validation);
  text += findings_text(fit);
  for (const std::string& note : fit.notes) text += "  note: " + note + "\n";
  text += fmt::format("  written to {}\n", result.folder.string());
  nlohmann::ordered_json json = to_json(fit);
  json["folder"] = result.folder.string();
  report_if_wanted(options, result.folder, json, text);
  print_result(options, json, text);
  if (!result.ok)  // an error, which `--quiet` does not suppress
    print_message("{}: {}: {}\n", file, to_string(fit.verdict.status), printable(fit.verdict.explanation()));
  return result.ok ? Done : NumbersFailed;
}

}  // namespace

Action declare_fit(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  auto halve_step = std::make_shared<bool>(false);
  parser.add_option("FILE", *file, "The experiment file, with a section `fit:`")->required()->type_name("FILE.yaml");
  parser.add_flag("--halve-step", *halve_step,
                  "Repeat the fit at half the time step and report how much the estimates change");
  add_run_options(parser, *options);
  parser.footer(
      help_footer("  pithball fit demo.yaml\n  pithball fit demo.yaml --resume\n  pithball fit demo.yaml --set "
                  "'fit.parameters.0.charge.initial=40 uC' "
                  "--halve-step --json",
                  "Writes run.yaml, fit.json, summary.json and, for each recording, the fitted motion "
                  "(trajectory-*.h5) and the recorded\n"
                  "and simulated markers (markers-*.csv) into the run folder. A fit that did not converge, or whose "
                  "residuals are too\n"
                  "large (\"does not fit\", unless fit.accept_misfit), ends with status 1. Ctrl-C stores the best "
                  "point found. Every\n"
                  "evaluation of the model is stored in the run folder, so that --resume completes an interrupted or "
                  "killed fit, with\n"
                  "the same result."));
  return [=] { return run(*file, *halve_step, *options); };
}

}  // namespace pithball::app
