#include "optim/verdict/fit_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "optim/verdict/noise_color.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

bool GoodnessOfFit::has_correlated_residuals() const {
  return std::ranges::any_of(whiteness, [&](const RecordingWhiteness& color) {
    if (!color.all.is_colored() && !color.between.is_common()) return false;
    const auto misfit = std::ranges::find(quality.recordings, color.recording, &RecordingMisfit::recording);
    return misfit != quality.recordings.end() && !(misfit->misfit <= misfit->noise);
  });
}

void fields(FieldVisitor& v, GoodnessOfFit& goodness) {
  v("errors", goodness.errors, "RMS errors of the fit and of its baselines");
  v.field({"quality", {}, "misfit of the recordings compared with their noise"}, [&] {
    v.object([&] {
      fields(v, goodness.quality);
      v("causes", goodness.causes, "why it does not fit, cheapest test first");
    });
  });
  v.if_any("suspect", goodness.suspect, "what a test without a refit says that the model or the file lacks",
           "where one candidate is significant and, if χ² has an excess, explains more than a fifth of it");
  v("whiteness", goodness.whiteness, "whether the fitted residuals are independent, by recording");
  v.after_reading([&] { share_alarm(goodness.whiteness); });
  const auto agreement = [&] {
    v("p_value", goodness.agreement.p_value,
      "probability of such a difference by chance; null: not computed, or too few frames");
    v("autocorrelation", goodness.agreement.autocorrelation, "of the residuals beside changes of the values");
    v("sentence", or_null(goodness.change), "what changes along the recordings; null: nothing significant");
  };
  v.block("agreement", "Agreement",
          "whether the values are the same at all times of the recordings; computed where residuals are correlated or "
          "too large",
          agreement);
  const auto homogeneity = [&] {
    v("p_value", goodness.homogeneity, "probability of such differences by chance; null: nothing can be compared");
    v("sentence", or_null(goodness.contradiction), "how they contradict each other; null: nothing significant");
    v("value", or_null(goodness.contradicted), "the value on which they do, as in `fit.parameters`; null: none");
  };
  v.block("homogeneity", "Homogeneity", "whether the recordings agree on the values that they share", homogeneity);
  v("aliases", or_null(goodness.aliases),
    "that the fitted motion is so fast for the frames that others fit as well; null: others do not");
}

namespace {

/// Above this fraction of the motion, residuals are not noise: the model moves differently.
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
      moves += (moves.empty() ? "" : ", ") + change.name + formatted(" by %.3g", change.in_standard_errors);
  if (!moves.empty())
    verdict.doubt("halving the time step moves " + moves + " standard errors",
                  "reduce simulation.time_step until the estimates no longer change");
}

/// Whether residuals are correlated from sample to sample, unlike noise: the model describes another motion.
bool are_systematic(const GoodnessOfFit& goodness) {
  return std::ranges::any_of(goodness.whiteness, [](const RecordingWhiteness& recording) {
    return recording.all.lag_1 > 0.5 && recording.all.p_value < 1e-3;
  });
}

/// z of the signs of residuals above which neighboring ones are correlated: exceeded by chance in one of 10,000
/// recordings.
constexpr double serial_alarm = 3.7;
/// The same for use together with a comparison with a baseline: exceeded by chance in one of 100.
constexpr double serial_sign = 2.3;

/// "RMS residual 0.5 mm, static baseline 0.4 mm"
std::string beside_baseline(const char* error, const char* baseline, const PositionErrors& e, double of_baseline) {
  return error + e.kind->shown(e.model) + baseline + e.kind->shown(of_baseline);
}

/// The residuals of one recording.
struct RecordingResiduals {
  const RecordingMisfit& misfit;
  const RecordingWhiteness& whiteness;
  const PositionErrors* errors;  ///< of its fitted samples; null: none
};

std::vector<RecordingResiduals> residuals_of(const GoodnessOfFit& goodness) {
  std::vector<RecordingResiduals> all;
  for (const RecordingMisfit& misfit : goodness.quality.recordings) {
    const auto color = std::ranges::find(goodness.whiteness, misfit.recording, &RecordingWhiteness::recording);
    if (color == goodness.whiteness.end()) continue;
    const auto errors = std::ranges::find_if(goodness.errors.recordings, [&](const RecordingErrors& e) {
      return e.recording == misfit.recording && e.part == Part::Fit;
    });
    all.push_back({misfit, *color, errors == goodness.errors.recordings.end() ? nullptr : &errors->all});
  }
  return all;
}

/// Whether a misfit is larger than the motion about the mean, of which noise is a part, too. The mean takes of the
/// square of noise with n_eff independent values in each of s series the part 1/n_eff, which scatters by √(2/s) of
/// itself; all of it, if noise is slow. Three times that: noise of a body at rest exceeds `large_excess` in less than 1
/// of 100 recordings for autoregressions of any coefficient, from 16 frames and one series on.
bool exceeds_motion(const RecordingResiduals& one) {
  constexpr double rarely = 3;
  const auto series = static_cast<double>(one.whiteness.series);
  const double taken = (1 + rarely * std::sqrt(2 / series)) * series / one.whiteness.all.effective_samples;
  return (1 - taken) * std::pow(one.misfit.misfit / one.misfit.motion, 2) > large_excess;
}

/// A model that is no closer to the recording than a body at rest or in uniform motion has not been fitted, if it is
/// also farther than the mean of the recording or if its residuals are correlated from frame to frame, unlike noise.
/// The baselines start where the model does; with a wrong start a model can beat them and be farther than the mean.
void judge_baselines(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (verdict.grade() == Grade::Bad) return;
  for (const RecordingResiduals& one : residuals_of(goodness)) {
    if (!one.errors) continue;
    const double n = one.whiteness.all.effective_samples, chance = 1 + beyond_chance * std::sqrt(2 / std::max(1.0, n));
    const auto exceeds = [&](double error, double baseline) { return error * error > chance * baseline * baseline; };
    const bool is_systematic =
        one.whiteness.all.serial_z > serial_sign || exceeds(one.misfit.misfit, one.misfit.motion);
    const bool is_beyond_motion = exceeds_motion(one);
    if (is_beyond_motion && one.whiteness.all.serial_z > serial_alarm && !goodness.quality.absolute_sigma) {
      const MeasurementKind& kind = *one.misfit.kind;
      verdict.fail(RunStatus::DoesNotFit,
                   one.misfit.recording + ": RMS residual " + kind.shown(one.misfit.misfit) +
                       " per coordinate, more than the motion about the mean, " + kind.shown(one.misfit.motion),
                   "start from other values (fit.starts), or with the early frames (frames: {to: …})");
      continue;
    }
    // A baseline starts from frames with noise, so that its mean square is at least twice that of the right model.
    const double least = std::max(1.0, chance / 2);
    const auto is_worse_than = [&](double baseline) {
      return one.errors->model * one.errors->model > least * baseline * baseline;
    };
    const bool is_static = is_worse_than(one.errors->static_baseline);
    if (!is_systematic || !(is_static || is_worse_than(one.errors->constant_velocity))) continue;
    const std::string place = one.misfit.recording + ": RMS residual ";
    verdict.fail(RunStatus::DoesNotFit,
                 is_static
                     ? beside_baseline(place.c_str(), ", static baseline ", *one.errors, one.errors->static_baseline)
                     : beside_baseline(place.c_str(), ", baseline of constant velocity ", *one.errors,
                                       one.errors->constant_velocity),
                 "start from other values (fit.starts), or with the early frames (frames: {to: …})");
  }
}

/// If a small change of a parameter moves the markers by more than their motion and the residuals are not small, the
/// linearized problem, and standard errors with it, does not describe the true values.
void doubt_sensitivity(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  const PositionErrors& e = goodness.errors.fit;
  if (!(e.model > large_residual * e.static_baseline) || !are_systematic(goodness)) return;
  for (const SensitivityGrowth& growth : goodness.growth)
    if (std::isfinite(growth.useless_from))
      verdict.doubt(
          growth.recording +
              formatted(": from %.3g s on, a change of the parameters by 1 %% moves the markers by more than their "
                        "whole motion, and the residuals are %.2g of it: standard errors are not meaningful",
                        growth.useless_from, e.model / e.static_baseline),
          "fit the early frames first (frames: {to: …}, or a growing horizon)");
}

/// Leaves the verdict open if searches ended at other estimates that the recordings do not distinguish from these.
void judge_uniqueness(const FitEvidence& evidence, RunVerdict& verdict) {
  if (evidence.others.empty()) return;
  const std::size_t all = evidence.others.size(), listed = std::min(all, listed_alternatives);
  std::string ends;
  for (std::size_t k = 0; k < listed; ++k) {
    const OtherMinimum& other = evidence.others[k];
    ends += (k == 0 ? "" : ", ") + std::to_string(other.searches) + " of " + std::to_string(evidence.searches) +
            " searches ended equally well at " + other.values + " (" + say_delta(other.delta_chi_square) +
            (other.is_reversal ? ", depth reversed as seen by the camera)" : ")");
  }
  if (listed < all) ends += formatted(", others at %zu more minima", all - listed);
  const bool is_depth = std::ranges::any_of(evidence.others, &OtherMinimum::is_reversal);
  verdict.leave_open(ends + "; the data do not distinguish between these minima",
                     is_depth ? "add a second camera, film from nearer by, where perspective is stronger, or give the "
                                "start if it is known; or a prior or bounds that distinguish them"
                              : "add a recording, a camera view, a prior or bounds that distinguish them");
}

/// A misfit far above the recording's noise and not small compared to its motion indicates an error that no interval
/// covers. A search that did not end at a minimum keeps its own status.
void judge_misfit(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (goodness.quality.fits()) return;
  std::string why, remedy;
  for (const RecordingMisfit& recording : goodness.quality.recordings)
    if (!recording.fits()) why += (why.empty() ? "" : "; ") + recording.sentence();
  for (std::size_t k = 0; k < goodness.causes.size(); ++k)
    remedy += (k == 0 ? "check in this order: " : ", ") + std::to_string(k + 1) + ") " + goodness.causes[k].reason +
              ": " + goodness.causes[k].remedy;
  if (verdict.grade() != Grade::Bad) return verdict.fail(RunStatus::DoesNotFit, why, remedy);
  verdict.why += "; what it found " + to_string(RunStatus::DoesNotFit) + ": " + why;
  verdict.remedy = remedy;
}

/// Doubts a fit without a large misfit if its residuals contradict the model. Correlation alone is not a contradiction,
/// because the intervals account for it.
void doubt_residuals(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (verdict.grade() == Grade::Bad) return;
  const FitQuality& quality = goodness.quality;
  const bool has_cause = !goodness.suspect && !goodness.causes.empty();
  const std::string remedy = goodness.suspect ? goodness.suspect->remedy
                             : has_cause      ? goodness.causes.front().remedy
                                              : "`pithball diagnose` names what the model may lack",
                    cause = has_cause ? goodness.causes.front().reason + "; " : "";
  const bool is_known_to_fit = quality.absolute_sigma && !quality.is_above();
  if (!goodness.change.empty() && !is_known_to_fit)
    verdict.doubt(cause + goodness.change + formatted(", reduced χ² %.3g", quality.reduced()) +
                      ": the model is incomplete, or values change in time",
                  remedy);
  if (quality.absolute_sigma && quality.is_above())
    verdict.doubt(cause + formatted("reduced χ² %.3g, though sigma is absolute", quality.reduced()), remedy);
  for (const RecordingResiduals& one : residuals_of(goodness)) {
    const double ratio = one.misfit.misfit / one.misfit.noise;
    const Whiteness& color = one.whiteness.all;
    if (!quality.absolute_sigma && quality.is_above() && ratio * ratio > large_excess)
      if (const std::string refused = refuse_noise(one.misfit, one.whiteness); !refused.empty())
        verdict.doubt(cause + one.misfit.sentence() + ", " + refused, remedy);
    // Colored noise has this effect, too, but then estimates agree along the recordings.
    const bool do_estimates_agree = goodness.agreement.p_value >= change_alarm;
    if (std::isnan(one.misfit.noise) && color.serial_z > serial_alarm && !do_estimates_agree)
      verdict.doubt(cause + one.misfit.recording +
                        formatted(": residuals are correlated from frame to frame (%.2g standard "
                                  "deviations), and the size of the noise is unknown",
                                  color.serial_z),
                    "write `sigma` of the recording; " + remedy);
  }
}

/// Doubts the model if one additional value explains the residuals: they are not noise.
void doubt_suspect(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (!goodness.suspect) return;
  verdict.doubt(goodness.suspect->reason + formatted(", reduced χ² %.3g", goodness.quality.reduced()),
                goodness.suspect->remedy);
}

/// Doubts the model if recordings contradict each other in a shared value; only the intervals account for this.
void doubt_recordings(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (goodness.contradiction.empty()) return;
  verdict.doubt(goodness.contradiction, "fit a value for each recording (" + goodness.contradicted +
                                            ": {share: recording}), or find what differs between them");
}

/// Doubts a motion that the frames sample too sparsely to distinguish it from faster and slower ones.
void doubt_aliases(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  if (goodness.aliases.empty()) return;
  verdict.doubt(goodness.aliases,
                "record more frames a second, or at uneven times, or add a recording at another rate");
}

/// Leaves the fit unjudged if the noise is unknown and no test contradicts the model: the misfit could be noise.
void leave_unjudged(const GoodnessOfFit& goodness, RunVerdict& verdict) {
  const std::vector<RecordingResiduals> all = residuals_of(goodness);
  const bool is_serial =
      std::ranges::any_of(all, [](const RecordingResiduals& one) { return one.whiteness.all.serial_z > serial_alarm; });
  verdict.status = RunStatus::CannotBeJudged;
  verdict.why = is_serial ? "the size of the noise is unknown, and residuals are correlated from frame to frame: noise "
                            "that lasts, or an incomplete model"
                          : "the size of the noise is unknown, and noise alone could explain the residuals";
  verdict.remedy = "write `sigma` of the recording";
}

/// Judges a prediction by comparison with a body at rest.
RunVerdict judge_prediction(const FitErrors& errors) {
  RunVerdict verdict{RunStatus::Predicted, "", ""};
  const auto compare = [&](const std::string& prefix, const PositionErrors& e) {
    if (!(e.model >= e.static_baseline)) return;  // there may be no baseline
    verdict.doubt(prefix + beside_baseline("RMS error ", ", static baseline only ", e, e.static_baseline),
                  "check the values under `system`, the initial state and the placement of the recording");
  };
  for (const RecordingErrors& one : errors.recordings)
    if (one.part == Part::ValidationFrame && one.all.samples > 0 && std::isnan(one.all.model))
      verdict.fail(RunStatus::NotSimulated, one.recording + ": " + one.failure,
                   "check the values under `system`, and reduce simulation.time_step");
  if (verdict.grade() == Grade::Bad) return verdict;
  const PositionErrors& all = errors.validation_frames;
  if (all.samples == 0)
    verdict.doubt("no recording could be predicted", "see the notes");
  else if (all.kind)
    compare("", all);
  else  // errors in different units cannot be combined
    for (const RecordingErrors& one : errors.recordings)
      if (one.part == Part::ValidationFrame && one.all.samples > 0) compare(one.recording + ": ", one.all);
  return verdict;
}

}  // namespace

std::string say_delta(double delta) {
  constexpr double nothing = 0.01;
  return std::abs(delta) < nothing ? formatted("Δχ² < %g", nothing) : formatted("Δχ² = %.2g", delta);
}

namespace {

/// Returns the verdict on the search, assuming that the derivatives are those of the motion.
RunVerdict judge_search(const FitEvidence& evidence) {
  const GoodnessOfFit& goodness = evidence.goodness;
  RunVerdict verdict{find_run_status(to_string(evidence.status)), "", ""};
  if (verdict.grade() != Grade::Good) {
    verdict.why = evidence.message;
    if (evidence.status != MinimizerStatus::Stopped) judge_misfit(goodness, verdict);
    return verdict;
  }
  doubt_sensitivity(goodness, verdict);
  if (evidence.halved && evidence.halved->status == MinimizerStatus::Converged)
    doubt_step(*evidence.halved, verdict);
  else if (evidence.step)
    verdict.doubt(evidence.step->reason, evidence.step->remedy);
  doubt_suspect(goodness, verdict);
  judge_uniqueness(evidence, verdict);
  judge_misfit(goodness, verdict);
  judge_baselines(goodness, verdict);
  doubt_aliases(goodness, verdict);
  doubt_recordings(goodness, verdict);
  doubt_residuals(goodness, verdict);
  if (verdict.status == RunStatus::Converged && goodness.quality.has_unknown_noise()) leave_unjudged(goodness, verdict);
  return verdict;
}

}  // namespace

RunVerdict judge_fit(const FitEvidence& evidence) {
  if (evidence.is_prediction) return judge_prediction(evidence.goodness.errors);
  RunVerdict verdict = judge_search(evidence);
  // Checked first: searches and standard errors depend on the derivatives, so that other causes may follow from this
  // one.
  for (const sim::Doubt& doubt : evidence.gradients) verdict.question(doubt.reason, doubt.remedy);
  return verdict;
}

void fields(FieldVisitor& v, HalvedStep::Change& change) {
  v.is("HalvedStepChange", "a parameter at half the time step");
  v("name", change.name, "of the parameter");
  v("estimate", change.estimate, of_parameter, "physical value at half the step");
  v("change_in_standard_errors", change.in_standard_errors, "its change / standard error; null: unknown");
}

void fields(FieldVisitor& v, HalvedStep& halved) {
  v.is("HalvedStep", "the same fit at half the time step");
  v("status", as_word(halved.status, minimizer_statuses), "how its search ended");
  v("another_minimum", halved.another_minimum,
    "whether it ended in another minimum, so that the comparison says nothing of the step");
  v("parameters", halved.parameters, "in the order of the fit's own");
}

}  // namespace pithball::optim
