#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/commands/compare.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/diagnose_run.hpp"
#include "app/run/fit_run.hpp"
#include "app/run/rank_fits.hpp"
#include "app/run_folder/fit_headline.hpp"

namespace pithball::app {
namespace {

/// Most candidates listed.
constexpr std::size_t most_findings = 12;

std::string findings_table(const DiagnosisRecord& record) {
  const optim::Diagnosis& diagnosis = record.diagnosis;
  const std::size_t listed = std::min(diagnosis.findings.size(), most_findings);
  std::size_t width = 30;
  for (std::size_t k = 0; k < listed; ++k) width = std::max(width, diagnosis.findings[k].candidate.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>12}   {}\n", "candidate", width, "p", "adjusted",
                                 "gain in χ²", "predicted value");
  for (std::size_t k = 0; k < listed; ++k) {
    const optim::TestedCandidate& finding = diagnosis.findings[k];
    text +=
        fmt::format("{:<{}} {:>10.2g} {:>10.2g} {:>12.4g}   {}  {}\n", finding.candidate.name, width, finding.test.p,
                    finding.adjusted, finding.test.gain, predicted_text(finding), verdict_on(finding, diagnosis));
    if (const std::string place = record.place_of(finding.candidate); !place.empty())
      text += fmt::format("    {}\n", place);
    if (finding.order > 0 && !finding.candidate.key.empty())
      text += fmt::format("    write `{}`\n", finding.candidate.key);
  }
  if (listed < diagnosis.findings.size())
    text += fmt::format("… and {} more in diagnosis.json\n", diagnosis.findings.size() - listed);
  return text;
}

/// "applied_force, mass (8)": the values to which the candidates belong, each with its number of candidates if above
/// one.
std::string names_by_value(const std::vector<optim::Candidate>& candidates) {
  std::vector<std::pair<std::string, std::vector<const optim::Candidate*>>> groups;
  for (const optim::Candidate& candidate : candidates) {
    const auto known = std::ranges::find_if(groups, [&](const auto& group) { return group.first == candidate.value; });
    auto& group = known != groups.end() ? *known : groups.emplace_back(candidate.value, 0);
    group.second.push_back(&candidate);
  }
  std::string text;
  for (const auto& [value, all] : groups)
    text +=
        (text.empty() ? "" : ", ") + (all.size() == 1 ? all.front()->name : fmt::format("{} ({})", value, all.size()));
  return text;
}

std::string diagnosis_text(const DiagnosisRecord& record) {
  const optim::Diagnosis& diagnosis = record.diagnosis;
  std::string text = fmt::format("{}: {}\n", record.name, record.verdict());
  if (!diagnosis.ok()) return text;
  text += "\n" + findings_table(record) + "\n";
  if (!diagnosis.same_as_fitted.empty())
    text += "  not told apart from the fitted values, or without effect: " + names_by_value(diagnosis.same_as_fitted) +
            "\n";
  for (const UntestedCandidate& one : record.untested)
    text += fmt::format("  not tested: {}: {}\n", one.name, one.reason);
  for (const std::string& note : diagnosis.notes) text += "  note: " + note + "\n";
  const optim::EvaluationCounts& counts = diagnosis.evaluations;
  return text + fmt::format("  cost: {} forward runs, {} tangents, {} adjoints; {:.2g} s\n", counts.forward,
                            counts.tangent, counts.adjoint, diagnosis.seconds);
}

std::filesystem::path refit_target(const std::string& folder, const CommonOptions& options) {
  return options.out.empty() ? folder + "-refit" : options.out;
}

/// Fits again with the best finding added to the model, and ranks both fits.
std::string refit(const Run& run, const DiagnosisRecord& record, const CommonOptions& options,
                  nlohmann::ordered_json& json) {
  const std::vector<const optim::TestedCandidate*> lacking = record.diagnosis.lacking();
  if (lacking.empty()) return "  nothing to refit: no candidate was found\n";
  const optim::Candidate& candidate = lacking.front()->candidate;
  if (candidate.comes_before_model() && candidate.key.empty())
    return fmt::format("  not fitted again: correct recording '{}' itself; no key of the experiment file fits {}\n",
                       candidate.recording, candidate.name);
  if (!candidate.recording.empty() && !candidate.comes_before_model())
    return fmt::format("  not fitted again: correct `markers` of recording '{}' in the experiment file, and fit it\n",
                       candidate.recording);
  const ExperimentDocument document = with_finding(run.document, record, *lacking.front());
  const FitSpec spec = read_fit(document);
  const RunOrder order = run_order("fit", (run.folder / "run.yaml").string(), document, options,
                                   refit_target(run.folder.string(), options));
  const FitResult result = run_fit(spec, {order, false});
  std::string ranked;
  try {
    const FitRanking ranking = rank_fits({run.folder, result.folder});
    json["refit"] = to_json(ranking);
    ranked = fit_ranking_text(ranking);
  } catch (const InvalidArgument& error) {  // its key changes what is fitted: other frames, or parts of a recording
    ranked = fmt::format("  the two fits cannot be ranked: {}\n", error.what());
  }
  json["refit"]["folder"] = result.folder.string();
  return fmt::format("\nwith {}: {}\n\n{}  written to {}\n", candidate.name, fit_headline(result.record), ranked,
                     result.folder.string());
}

struct DiagnoseOrder {
  std::string folder;
  optim::DiagnosisOptions wanted;
  bool refit = false;
};

int run_diagnose(const DiagnoseOrder& order, const CommonOptions& options) {
  use_threads(options);
  const Run run = read_run(order.folder);
  if (order.refit) RunFolder::check(refit_target(run.folder.string(), options), options.earlier);
  const DiagnosisRecord record = diagnose_run(run, order.wanted);
  write_diagnosis(order.folder, record);
  nlohmann::ordered_json json = to_json(record);
  std::string text = diagnosis_text(record) + fmt::format("  written to {}/diagnosis.json\n", order.folder);
  report_if_wanted(options, order.folder, json, text);
  if (order.refit && record.diagnosis.ok()) text += refit(run, record, options, json);
  print_result(options, json, text);
  if (!record.diagnosis.ok()) print_message("{}: {}\n", order.folder, record.verdict());
  return record.diagnosis.ok() ? Done : NumbersFailed;
}

}  // namespace

Action declare_diagnose(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto order = std::make_shared<DiagnoseOrder>();
  parser.add_option("RUN", order->folder, "The run folder of a fit")->required()->type_name("RUN");
  parser
      .add_option("--level", order->wanted.level,
                  "Report candidates whose p, adjusted for the number of tests, is below this (default 0.01)")
      ->check(number_within(0, 1));
  parser.add_option("--seed", order->wanted.seed, "Seed of the random probes (default 1)")->check(whole_number());
  parser.add_flag("--refit", order->refit,
                  "Fit again with the first thing that the model lacks, and compare both fits, also on validation "
                  "frames, markers and recordings");
  parser.add_option("--out", options->out, "The run folder of that fit (default RUN-refit)")->type_name("DIR");
  add_overwrite(parser, *options);
  add_report(parser, *options);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball diagnose runs/demo\n  pithball diagnose runs/demo --report\n  pithball diagnose runs/demo --refit "
      "--json",
      "Says what the model of a fit lacks, and where: tests, without a refit, every force that could act (drag, "
      "gravity,\n"
      "an electric field), every value that the fit holds, the mass, charge, stiffness and rest length of each "
      "particle\n"
      "and spring, the attachment of each marker, how each recording was made (clock, placement, scale, instrument,\n"
      "drift), and where and how fast the body started. For each candidate: p (the probability of residuals that "
      "support "
      "it\n"
      "as strongly by chance), p adjusted for the number of tests (Holm), the predicted decrease of χ²,\n"
      "and its predicted value. Writes diagnosis.json into the run folder; --report colors the body by it."));
  return [=] { return run_diagnose(*order, *options); };
}

}  // namespace pithball::app
