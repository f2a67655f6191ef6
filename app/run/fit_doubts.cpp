#include "app/run/fit_doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "optim/fit/minima.hpp"

namespace pithball::app {
namespace {

/// Halving the step of an integrator of first order takes away half of its error: what moves by more than its 95 %
/// interval was found for the integrator and not for the body.
constexpr double most_standard_errors = 2;
/// Beside this part of the motion residuals are more than noise: they say that the model is at another place of it.
constexpr double large_residual = 0.1;

void doubt_step(const HalvedStep& halved, RunVerdict& verdict) {
  if (halved.another_minimum) {
    verdict.doubt("halving the time step leads to another minimum",
                  "start from other values (fit.starts), or reduce the time step");
    return;
  }
  std::string moves;
  for (const HalvedStep::Change& change : halved.parameters)
    if (change.in_standard_errors > most_standard_errors)
      moves += fmt::format("{}{} by {:.3g}", moves.empty() ? "" : ", ", change.name, change.in_standard_errors);
  if (!moves.empty())
    verdict.doubt(fmt::format("halving the time step moves {} standard errors", moves),
                  "reduce simulation.time_step until the estimates no longer change");
}

/// Whether the residuals go on from sample to sample, as noise does not: the model is somewhere else.
bool are_systematic(const optim::FitReport& report) {
  return std::ranges::any_of(report.whiteness, [](const optim::RecordingWhiteness& recording) {
    return recording.all.lag_1 > 0.5 && recording.all.p_value < 1e-3;
  });
}

/// A model that is no closer to the recording than a body that never moves has not been fitted.
void doubt_motion(const optim::FitReport& report, RunVerdict& verdict) {
  const optim::PositionErrors& e = report.fit;
  if (e.model >= e.static_baseline && are_systematic(report))
    verdict.doubt(
        fmt::format("RMS residual {}, static baseline {}", e.kind->shown(e.model), e.kind->shown(e.static_baseline)),
        "start from other values (fit.starts), or with the early frames (frames: {to: …})");
}

/// Where the least change of a parameter moves the markers by more than their motion and the residuals are not small,
/// the estimates lie where nothing leads from, and their standard errors are those of a line that is none.
void doubt_sensitivity(const optim::FitReport& report, RunVerdict& verdict) {
  if (!(report.fit.model > large_residual * report.fit.static_baseline) || !are_systematic(report)) return;
  for (const optim::SensitivityGrowth& growth : report.growth)
    if (std::isfinite(growth.useless_from))
      verdict.doubt(
          fmt::format("{}: from {:.3g} s on, a change of the parameters by 1 % moves the markers by more than their "
                      "whole motion, and the residuals are {:.2g} of it: standard errors are not meaningful",
                      growth.recording, growth.useless_from, report.fit.model / report.fit.static_baseline),
          "fit the early frames first (frames: {to: …}, or a growing horizon)");
}

/// Searches that ended at other estimates, which the recordings do not distinguish from these.
void judge_uniqueness(const optim::FitReport& report, RunVerdict& verdict) {
  if (report.alternatives.empty()) return;
  const std::size_t all = report.alternatives.size(), listed = std::min(all, optim::listed_alternatives);
  std::string ends;
  for (std::size_t k = 0; k < listed; ++k) {
    const optim::AlternativeEstimate& other = report.alternatives[k];
    ends += fmt::format("{}{} of {} searches ended equally well at {} ({})", k == 0 ? "" : ", ", other.searches,
                        report.search.back().minima.size(), other.values, optim::say_delta(other.delta_chi_square));
  }
  if (listed < all) ends += fmt::format(", others at {} more minima", all - listed);
  verdict.leave_open(ends + "; the data do not distinguish between these minima",
                     "add a recording, a camera view, a prior or bounds that distinguish them");
}

/// A misfit far above the recording's noise and no small part of its motion: something is wrong that no interval shows.
/// Also of a search that ended at no minimum, whose own status stays.
void judge_misfit(const optim::FitReport& report, RunVerdict& verdict) {
  if (report.quality.fits()) return;
  std::string why, remedy;
  for (const optim::RecordingMisfit& recording : report.quality.recordings)
    if (!recording.fits()) why += (why.empty() ? "" : "; ") + recording.sentence();
  for (std::size_t k = 0; k < report.misfit_causes.size(); ++k)
    remedy += fmt::format("{}{}) {}: {}", k == 0 ? "check in this order: " : ", ", k + 1,
                          report.misfit_causes[k].reason, report.misfit_causes[k].remedy);
  if (verdict.grade() != Grade::Bad) return verdict.fail(RunStatus::DoesNotFit, why, remedy);
  verdict.why += fmt::format("; what it found {}: {}", to_string(RunStatus::DoesNotFit), why);
  verdict.remedy = remedy;
}

/// A prediction is held against a body that never moves.
RunVerdict verdict_on_prediction(const optim::FitReport& report) {
  RunVerdict verdict{RunStatus::Predicted, "", ""};
  const auto compare = [&](const std::string& recording, const optim::PositionErrors& e) {
    if (e.model < e.static_baseline) return;
    verdict.doubt(fmt::format("{}{}RMS error {}, static baseline only {}", recording, recording.empty() ? "" : ": ",
                              e.kind->shown(e.model), e.kind->shown(e.static_baseline)),
                  "check the values under `system`, the initial state and the placement of the recording");
  };
  const optim::PositionErrors& all = report.validation_frames;
  if (all.samples == 0)
    verdict.doubt("no recording could be predicted", "see the notes");
  else if (all.kind)
    compare("", all);
  else  // of different units, which have no common error
    for (const optim::RecordingErrors& one : report.recordings)
      if (one.part == optim::Part::ValidationFrame && one.all.samples > 0) compare(one.recording, one.all);
  return verdict;
}

}  // namespace

RunVerdict verdict_on_fit(const optim::FitReport& report, const std::optional<HalvedStep>& halved) {
  if (report.parameters.empty()) return verdict_on_prediction(report);
  RunVerdict verdict{find_run_status(optim::to_string(report.status)), "", ""};
  if (verdict.grade() != Grade::Good) {
    verdict.why = report.message;
    if (report.status != optim::MinimizerStatus::Stopped) judge_misfit(report, verdict);
    return verdict;
  }
  doubt_motion(report, verdict);
  doubt_sensitivity(report, verdict);
  if (halved && halved->status == optim::to_string(optim::MinimizerStatus::Converged)) doubt_step(*halved, verdict);
  judge_uniqueness(report, verdict);
  judge_misfit(report, verdict);
  return verdict;
}

}  // namespace pithball::app
