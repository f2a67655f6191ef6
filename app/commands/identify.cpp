#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "app/base/estimate_text.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/prediction_run.hpp"

namespace pithball::app {
namespace {

/// Longer lists of singular values are not shown in full.
constexpr std::size_t most_listed = 12;

std::string predicted_table(const optim::IdentifyReport& report) {
  std::string text = fmt::format("{:<28} {:>14} {:>12}   predicted {:g} % interval\n", "parameter", "at", "std. error",
                                 100 * report.confidence);
  for (const optim::PredictedParameter& p : report.parameters) {
    text += fmt::format("{:<28} {:>14.6g} {:>12.2g}   ", name_with_unit(p.name, p.unit), p.at, p.standard_error);
    if (p.determination != optim::Determination::None)
      text += fmt::format("[{:.6g}, {:.6g}]", p.interval_lower, p.interval_upper);
    if (p.determination == optim::Determination::Poor) text += "  poorly: " + p.weak_direction;
    if (p.determination == optim::Determination::None) text += "not identifiable: " + p.weak_direction;
    text += "\n";
  }
  return text;
}

std::string singular_values_text(const optim::IdentifyReport& report) {
  const std::size_t count = report.spectrum.directions.size();
  std::string text =
      fmt::format("  singular values of the scaled Jacobian, condition {:.3g}\n", report.spectrum.condition);
  for (std::size_t k = 0; k < count; ++k) {
    if (count > most_listed && k == most_listed / 2) {
      text += fmt::format("    … {} more …\n", count - most_listed);
      k = count - most_listed / 2;
    }
    text += fmt::format("    {:<10.3g} {}\n", report.spectrum.directions[k].value, report.spectrum.directions[k].name);
  }
  return text;
}

std::string growth_text(const optim::SensitivityGrowth& growth) {
  std::string text = fmt::format("  {}: a change by 1 % moves the markers by {} at {:g} s", growth.recording,
                                 growth.kind->shown(0.01 * growth.shift.back()), growth.times.back());
  if (growth.doublings_per_second > 0)
    text += fmt::format(", sensitivity doubling time {:.3g} s", 1 / growth.doublings_per_second);
  return text + fmt::format("; RMS displacement {}\n", growth.kind->shown(growth.extent));
}

int run_identify(const std::string& file, const std::string& at, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const FitSpec spec = read_fit(document, FitPurpose::Prediction);
  const bool keeps = options.report || !options.out.empty();
  const RunOrder order =
      run_order("identify", file, document, options, run_target(options, spec.base.name + "-identify"));
  if (keeps) RunFolder::check(order.target, order.earlier);
  const optim::Vector theta = prediction_point(spec.fit->map(), at);
  const auto begin = std::chrono::steady_clock::now();
  const optim::IdentifyReport report = identify_recordings(spec, theta);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  const IdentifyRecord record{spec.base.name, at.empty() ? "start" : at, report};
  nlohmann::ordered_json json = to_json(record);
  std::string text = fmt::format("{}: identifiability from {} recording{} ({} coordinates), at {}\n", spec.base.name,
                                 spec.recordings.size(), spec.recordings.size() == 1 ? "" : "s", report.rows,
                                 at.empty() ? "the start" : "the estimates of " + at);
  for (const std::string& doubt : report.doubts) text += "  doubtful: " + doubt + "\n";
  if (report.ok()) {
    for (const optim::SupposedSigma& one : report.sigmas) text += "  assumes for " + one.said + "\n";
    text += "\n" + predicted_table(report) + "\n" + singular_values_text(report);
    for (const optim::SensitivityGrowth& growth : report.growth) text += growth_text(growth);
  }
  for (const std::string& note : report.notes) text += "  note: " + note + "\n";
  if (keeps) {
    write_identify_run(record, spec.filled, seconds.count(), order);
    text += fmt::format("  written to {}\n", order.target.string());
    json["folder"] = order.target.string();
    report_if_wanted(options, order.target, json, text);
  }
  print_result(options, json, text);
  if (!report.ok()) print_message("{}: identifiability cannot be computed here: {}\n", file, report.failure);
  return report.ok() ? Done : NumbersFailed;
}

}  // namespace

Action declare_identify(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>(), at = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "The experiment file, with a section `fit:`")->required()->type_name("FILE.yaml");
  parser
      .add_option("--at", *at,
                  "Evaluate at the estimates in this run folder of a fit instead of at the starting values")
      ->type_name("RUN");
  add_analysis_options(parser, *options, "-identify");
  parser.footer(help_footer(
      "  pithball identify demo.yaml\n  pithball identify demo.yaml --set 'fit.parameters=[charge, stiffness, mass]'\n"
      "  pithball identify demo.yaml --at runs/demo --json\n"
      "  pithball identify demo.yaml --report",
      "Reports, before a fit, which parameters the recordings determine, and how precisely: predicted standard errors "
      "(for\n"
      "independent noise of the given sigma), singular values of the scaled Jacobian with their directions, whether\n"
      "only the magnitude of a charge or only ratios of masses, stiffnesses and squared charges are identifiable, and "
      "how\n"
      "the sensitivity grows with time. Needs one run with derivatives and no search. A recording that does not exist "
      "yet is\n"
      "written as `planned: {rate: 25, duration: 2 s}` (see `pithball plan`)."));
  return [=] { return run_identify(*file, *at, *options); };
}

}  // namespace pithball::app
