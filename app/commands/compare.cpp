#include "app/commands/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/compare_run.hpp"
#include "app/run/rank_fits.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

std::string shown(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string shown(const optim::PositionErrors& errors) {
  return std::isfinite(errors.model) && errors.kind ? errors.kind->shown(errors.model) : "-";
}

}  // namespace

std::string fit_ranking_text(const FitRanking& ranking) {
  std::size_t width = 12;
  for (const RankedFit& row : ranking.fits) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>14} {:>14}  {}\n", "fit", width, "parameters",
                                 "χ²/ν", "ΔAICc", "ΔBIC", "valid. frames", "valid. markers", "status");
  double least = NAN;
  for (const RankedFit& row : ranking.fits) least = std::fmin(least, row.bic);
  for (const RankedFit& row : ranking.fits)
    text += fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10} {:>14} {:>14}  {}\n", row.name, width, row.parameters,
                        shown(row.reduced, "{:.4g}"), shown(row.aicc - ranking.fits.front().aicc, "{:.4g}"),
                        shown(row.bic - least, "{:.4g}"), shown(row.validation_frames), shown(row.validation_markers),
                        row.status);
  text += fmt::format("  {} coordinates, as many as {:.0f} independent ones; sigma {}\n", ranking.coordinates,
                      ranking.effective, ranking.known_sigma ? "known" : "up to a factor");
  for (const RankedFit& row : ranking.fits)
    if (std::isnan(row.aicc))
      text += fmt::format(
          "  {}: no AICc, for {} values are too many for {:.0f} independent coordinates; compare by validation "
          "frames\n",
          row.name, row.parameters, ranking.effective);
  return text;
}

namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-"; }

std::string ending(const diff::RolloutStatus& status, long capped_substeps) {
  if (status.ok()) return capped_substeps > 0 ? fmt::format("  {} substeps capped", capped_substeps) : "";
  return fmt::format("  {} at step {}", status.status == sim::StepStatus::Diverged ? "diverged" : "not converged",
                     status.step);
}

std::string row_text(const ComparedRun& row, std::size_t width) {
  const Deviation& error = row.deviation;
  return fmt::format("{:<{}} {:>9} {:>10} {:>10} {:>10} {:>12} {:>10} {:>9.3g} {:>11} {:>8} {:>8}{}\n", row.method,
                     width, number(row.time_step), number(error.energy_mean), number(error.energy_standard_deviation),
                     number(error.energy_max), number(error.position), number(error.position_relative), row.run.seconds,
                     row.run.cost.force_evaluations, row.run.coulomb.sums + row.run.coulomb.products,
                     row.run.cost.linear_solves, ending(row.run.status, row.run.cost.capped_substeps));
}

/// Returns the table as text.
std::string text_of(const CompareRun& run, const CompareSpec& spec) {
  const Comparison& comparison = run.comparison;
  std::string text = fmt::format(
      "{}: {} runs over {:g} s, against {} at {:g} s\n\n", spec.base.name, spec.methods.size() * spec.time_steps.size(),
      spec.base.scenario.time_step * spec.base.scenario.steps, spec.reference.label, spec.reference_step);
  std::size_t width = 16;
  for (const ComparedRun& row : comparison.rows) width = std::max(width, row.method.size());
  if (!comparison.rows.empty())
    text += fmt::format(
        "{:<{}} {:>9} {:>32} {:>23}\n{:<{}} {:>9} {:>10} {:>10} {:>10} {:>12} {:>10} {:>9} {:>11} {:>8} {:>8}\n", "",
        width, "", "relative energy error     ", "position error   ", "method", width, "step [s]", "mean", "std. dev.",
        "largest", "rms [m]", "relative", "seconds", "force eval.", "Coulomb", "solves");
  for (const ComparedRun& row : comparison.rows) text += row_text(row, width);
  if (run.ok)
    text += fmt::format("\n  halving the reference's step changes energies by {} (mean), positions by {} m (RMS)\n",
                        number(comparison.check.deviation.energy_mean), number(comparison.check.deviation.position));
  for (const auto& [name, version] : comparison.backends) {
    double compiling = 0;
    for (const ComparedRun& row : comparison.rows)
      if (row.method == name) compiling += row.run.compile_seconds.value_or(0);
    text += fmt::format("  {}: {}{}\n", name, version,
                        compiling > 0 ? fmt::format(", plus {:.3g} s of compilation", compiling) : "");
  }
  if (!run.explanation.empty()) text += "  " + run.explanation + "\n";
  return text;
}

int run_compare(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const CompareSpec spec = read_compare(document);
  const std::filesystem::path target = run_target(options, spec.base.name + "-compare");
  note_many_steps(options, file, spec.base.scenario, spec.base.every);
  const CompareRun run = run_comparison(spec, run_order("compare", file, document, options, target));
  nlohmann::ordered_json json = to_json(run.summary, run.outcome);
  json["comparison"] = to_json(run.record);
  std::string text = text_of(run, spec) + fmt::format("  written to {}\n", target.string());
  report_if_wanted(options, target, json, text);
  print_result(options, json, text);
  if (!run.ok && !options.quiet) print_message("{}: {}\n", file, run.explanation);
  return run.ok ? Done : NumbersFailed;
}

/// Ranks fits to the same recordings, without running anything.
int run_fit_ranking(const std::vector<std::string>& folders, const CommonOptions& options) {
  if (!options.out.empty() || !options.set.empty() || options.report)
    throw InvalidArgument({"compare", "--out, --set, --report", "must not be given with run folders of fits",
                           "one of them", "a table is printed; use --json to keep it"});
  const FitRanking ranking = rank_fits({folders.begin(), folders.end()});
  print_result(options, to_json(ranking), fit_ranking_text(ranking));
  return Done;
}

int run_comparison_of(const std::vector<std::string>& inputs, const CommonOptions& options) {
  const auto is_folder = [](const std::string& input) {
    std::error_code ignored;
    return std::filesystem::is_directory(input, ignored);
  };
  if (inputs.size() > 1 || is_folder(inputs.front())) return run_fit_ranking(inputs, options);
  return run_compare(inputs.front(), options);
}

}  // namespace

Action declare_compare(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto inputs = std::make_shared<std::vector<std::string>>();
  parser
      .add_option(
          "FILE", *inputs,
          "The experiment file; all keys of its section `compare:` have defaults. Or run folders of fits to the "
          "same recordings")
      ->required()
      ->type_name("FILE.yaml | FIT1 FIT2 …");
  add_run_options(parser, *options, "-compare");
  parser.footer(help_footer(
      "  pithball compare experiments/paper/figure_04.yaml --report\n"
      "  pithball compare runs/demo runs/demo-refit\n"
      "  pithball compare torus.yaml --set 'compare.integrators=[imex_midpoint, {theta: {theta: 0.5}}]' --set "
      "'compare.time_steps=[0.1, 0.05]'\n"
      "  pithball compare torus.yaml --set 'compare.integrators=[imex_midpoint, lammps, jax_md]'\n"
      "  pithball compare torus.yaml --set 'compare.coulomb=[{method: direct}, {method: fmm, tolerance: 1e-4}]'\n"
      "  pithball compare torus.yaml --set compare.reference.integrator=dormand_prince --set "
      "compare.reference.time_step=0.001",
      "Runs the experiment with each of `compare.integrators` (and each of the Coulomb methods in `compare.coulomb`, "
      "if\n"
      "given) at each of `compare.time_steps`, and compares the results with `compare.reference` at multiples of the "
      "largest\n"
      "step (at most 1000 times). If the time step of a run does not divide these times, the run is compared at its "
      "first step\n"
      "after each of them, and the reference is interpolated there by cubic Hermite polynomials of positions and "
      "velocities. The\n"
      "errors are\n"
      "\n"
      "  energy     |E - E_ref| with E = total + losses, relative to the energy that the reference exchanges between\n"
      "             its kinds of energy, as of simulate: the zero of a potential has no effect (or to the largest |E| "
      "of\n"
      "             the reference, with compare.energy_scale: total)\n"
      "  position   root mean square over particles and times of |x - x_ref|, in meters and relative to the\n"
      "             largest displacement of a particle of the reference\n"
      "  seconds    integration time, without the energies\n"
      "  Coulomb    Coulomb evaluations, including products with the Jacobian in implicit steps\n"
      "\n"
      "The reference is also run at half its step. If that changes it by more than a tenth of the smallest error, a "
      "note is\n"
      "printed. A diverged run is reported with its failing step and is not an error; only a failed reference is.\n"
      "Writes run.yaml, compare.json and summary.json into the run folder.\n"
      "\n"
      "Run folders of fits to the same recordings are ranked instead: by AICc and BIC for the effective number of\n"
      "independent coordinates, with the errors of validation frames and markers. Nothing is run or written."));
  return [=] { return run_comparison_of(*inputs, *options); };
}

}  // namespace pithball::app
