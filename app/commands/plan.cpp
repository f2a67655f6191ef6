#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "app/base/estimate_text.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/experiment/plan_spec.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/optimize_run.hpp"
#include "app/run/prediction_run.hpp"

namespace pithball::app {
namespace {

/// Larger numbers of parameters are not listed individually.
constexpr std::size_t most_rows = 40;

using Alternatives = std::vector<PlannedAlternative>;

/// Returns the names of the parameters of all alternatives, in order of first appearance.
std::vector<std::string> all_parameters(const Alternatives& judged) {
  std::vector<std::string> names;
  for (const PlannedAlternative& alternative : judged)
    for (const optim::PredictedParameter& p : alternative.prediction.parameters) {
      const std::string name = name_with_unit(p.name, p.unit);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  return names;
}

std::string error_of(const optim::IdentifyReport& report, const std::string& name) {
  for (const optim::PredictedParameter& p : report.parameters)
    if (name_with_unit(p.name, p.unit) == name)
      return fmt::format("{:.3g}{}", p.standard_error, p.determination == optim::Determination::Poor ? " (poor)" : "");
  return "-";
}

std::string plan_table(const Alternatives& judged) {
  const auto width = [](const PlannedAlternative& alternative) {
    return std::max<std::size_t>(14, alternative.name.size() + 2);
  };
  std::string text = fmt::format("{:<28}", "parameter");
  for (const PlannedAlternative& alternative : judged)
    text += fmt::format("{:>{}}", alternative.name, width(alternative));
  const std::vector<std::string> names = all_parameters(judged);
  for (std::size_t k = 0; k < std::min(names.size(), most_rows); ++k) {
    text += fmt::format("\n{:<28}", names[k]);
    for (const PlannedAlternative& alternative : judged)
      text += fmt::format("{:>{}}", error_of(alternative.prediction, names[k]), width(alternative));
  }
  if (names.size() > most_rows) text += fmt::format("\n… {} more; --json lists all", names.size() - most_rows);
  text += fmt::format("\n\n{:<28}", "coordinates");
  for (const PlannedAlternative& alternative : judged)
    text += fmt::format("{:>{}}", alternative.prediction.rows, width(alternative));
  text += fmt::format("\n{:<28}", "condition");
  for (const PlannedAlternative& alternative : judged)
    text += fmt::format("{:>{}.3g}", alternative.prediction.spectrum.condition, width(alternative));
  return text + "\n\n";
}

/// Returns the noise assumed by each alternative, omitted where it equals that of the first.
std::string plan_sigmas(const Alternatives& judged) {
  std::string text, first;
  for (const PlannedAlternative& alternative : judged) {
    std::string said;
    for (const optim::SupposedSigma& one : alternative.prediction.sigmas) said += (said.empty() ? "" : "; ") + one.said;
    if (&alternative == &judged.front())
      first = said;
    else if (said == first)
      continue;
    if (!said.empty()) text += fmt::format("  {} assumes for {}\n", alternative.name, said);
  }
  return text;
}

/// Returns the notes on each alternative, except those that also apply to the first.
std::string plan_notes(const Alternatives& judged) {
  std::string text;
  const std::vector<std::string>& first = judged.front().prediction.notes;
  for (const PlannedAlternative& alternative : judged) {
    for (const std::string& doubt : alternative.prediction.doubts)
      text += fmt::format("  {}: doubtful: {}\n", alternative.name, doubt);
    for (const std::string& note : alternative.prediction.notes)
      if (&alternative == &judged.front() || std::find(first.begin(), first.end(), note) == first.end())
        text += fmt::format("  {}: {}\n", alternative.name, note);
    if (!alternative.prediction.ok())
      text += fmt::format("  {}: cannot be simulated: {}\n", alternative.name, alternative.prediction.failure);
  }
  return text;
}

std::string design_text(const OptimizedDesign& design) {
  std::string text = fmt::format("optimized for {}, compared with {}:\n", design.criterion, design.before);
  for (const OptimizedRecording& recording : design.recordings) {
    text += fmt::format("  {}: {:.6g} frames per second for {:.6g} s, {} frames", recording.name, recording.rate,
                        recording.duration, recording.frames);
    if (!recording.markers.empty()) text += fmt::format("; markers [{}]", fmt::join(recording.markers, ", "));
    for (const auto& [key, value] : recording.set) text += fmt::format("\n    {}: {}", key, value);
    text += "\n";
  }
  text += fmt::format("\n{:<28}{:>16}{:>14}{:>10}\n", "standard error", design.before, optimized_name, "ratio");
  for (std::size_t k = 0; k < std::min(design.gains.size(), most_rows); ++k) {
    const DesignGain& gain = design.gains[k];
    text += fmt::format("{:<28}{:>16.3g}{:>14.3g}{:>10.3g}\n", name_with_unit(gain.parameter, gain.unit), gain.before,
                        gain.optimized, gain.ratio());
  }
  if (design.waveform_gain > 1)
    text += fmt::format("  numbers of `vary`: mean error {:.3g} times smaller than with those in the file\n",
                        design.waveform_gain);
  for (const std::string& note : design.notes) text += fmt::format("  note: {}\n", note);
  return text +
         fmt::format("  cost: candidate runs {}, evaluations of the criterion {}\n\n", design.runs, design.evaluations);
}

/// The experiment to plan, and the options.
struct PlanOrder {
  std::string file;
  bool optimize = false;
  std::string given;  ///< run folder of a finished fit; empty if none is given
};

int run_plan(const PlanOrder& wanted, const CommonOptions& options) {
  const std::string& file = wanted.file;
  const ExperimentDocument document = load_document(file, options);
  const EarlierFit earlier = wanted.given.empty() ? EarlierFit{} : read_earlier_fit(wanted.given);
  const PlanSpec plan = read_plan(document, wanted.given.empty() ? PlanKnowledge::File : PlanKnowledge::EarlierFit);
  const bool keeps = options.report || !options.out.empty() || wanted.optimize;
  const RunOrder order = run_order("plan", file, document, options, run_target(options, plan.name + "-plan"));
  if (keeps) RunFolder::check(order.target, order.earlier);
  const auto begin = std::chrono::steady_clock::now();
  std::optional<OptimizedPlan> optimized;
  if (wanted.optimize) optimized = optimize_plan(plan, earlier);
  const PlanRecord record = optimized ? optimized->record : predict_plan_after(plan, earlier);
  const Alternatives& judged = record.alternatives;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const bool ok =
      std::all_of(judged.begin(), judged.end(), [](const PlannedAlternative& a) { return a.prediction.ok(); });
  nlohmann::ordered_json json = to_json(record);
  std::string text = fmt::format("{}: predicted standard errors\n\n", plan.name) + plan_table(judged) +
                     plan_sigmas(judged) + plan_notes(judged) +
                     (record.optimized ? "\n" + design_text(*record.optimized) : "");
  if (keeps) {
    if (optimized)
      write_optimized_run(*optimized, plan, earlier, seconds.count(), order);
    else
      write_plan_run(record, plan.filled, seconds.count(), order);
    text += fmt::format("  written to {}\n", order.target.string());
    json["folder"] = order.target.string();
    report_if_wanted(options, order.target, json, text);
  }
  print_result(options, json, text);
  if (!ok) print_message("{}: at least one alternative cannot be simulated\n", file);
  return ok ? Done : NumbersFailed;
}

}  // namespace

Action declare_plan(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<PlanOrder>();
  parser
      .add_option(
          "FILE", wanted->file,
          "The experiment file, with a section `fit:`, in which recordings may be planned, and a section `plan:`")
      ->required()
      ->type_name("FILE.yaml");
  parser.add_flag(
      "--optimize", wanted->optimize,
      "Search for markers, frames, fields and waveforms with smaller errors, as `plan.optimize` says; writes "
      "a run folder with planned.yaml, the experiment that was found");
  parser
      .add_option(
          "--given", wanted->given,
          "Start from this finished fit: its posterior instead of the existing recordings, its estimates as the "
          "true values")
      ->type_name("RUN");
  add_analysis_options(parser, *options, "-plan", "--report or --optimize");
  parser.footer(help_footer(
      "  pithball plan proposal.yaml\n  pithball plan proposal.yaml --set 'fit.residual.sigma=1 mm' --json\n"
      "  pithball plan proposal.yaml --optimize --report\n  pithball plan proposal.yaml --optimize --given runs/first",
      "Predicts the standard errors of a fit before any data are recorded: a recording in `fit.recordings` has\n"
      "`planned: {rate: 25, duration: 2 s}` instead of `file:`, and the starting values are treated as the true "
      "values.\n"
      "`plan.alternatives` lists alternative experiment designs, each with a name and the keys that it changes\n"
      "(`set: {fit.recordings.0.planned.rate: 50}`): fields, marker layouts, frame rates, additional recordings."));
  return [=] { return run_plan(*wanted, *options); };
}

}  // namespace pithball::app
