#include "optim/verdict/fit_verdict.hpp"

#include <cmath>

#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

/// A fit that converged, with a misfit of 2 mm beside a motion of 40 mm.
struct Evidence {
  GoodnessOfFit goodness;

  explicit Evidence(double noise) {
    RecordingMisfit misfit;
    misfit.recording = "film";
    misfit.misfit = 2e-3;
    misfit.noise = noise;
    misfit.motion = 40e-3;
    goodness.quality.recordings = {misfit};
    goodness.quality.chi_square = 100;
    goodness.quality.degrees = 100;
    goodness.quality.tolerance = 0.5;
    RecordingWhiteness white;
    white.recording = "film";
    white.all.samples = 100;
    white.all.effective_samples = 100;
    white.all.serial_z = 0.5;
    goodness.whiteness = {white};
    RecordingErrors errors;
    errors.recording = "film";
    errors.all.samples = 33;
    errors.all.model = 3e-3;
    errors.all.static_baseline = 60e-3;
    errors.all.constant_velocity = 200e-3;
    goodness.errors.recordings = {errors};
  }

  Whiteness& residuals() { return goodness.whiteness[0].all; }
  RunVerdict verdict() const {
    return judge_fit({MinimizerStatus::Converged, "the gradient is below its tolerance", 1, false, {}, goodness});
  }
  RunStatus status() const { return verdict().status; }
};

const double unknown = std::nan("");

}  // namespace

TEST_CASE("verdict: white residuals at the noise fit; without a known noise nothing can be judged",
          "[optim][verdict]") {
  CHECK(Evidence(2e-3).status() == RunStatus::Converged);
  CHECK(Evidence(unknown).status() == RunStatus::CannotBeJudged);
  CHECK(Evidence(unknown).verdict().remedy.find("sigma") != std::string::npos);
}

TEST_CASE("verdict: a prediction that could not be simulated says so, one without a baseline is not compared with it",
          "[optim][verdict]") {
  Evidence evidence(2e-3);
  RecordingErrors& errors = evidence.goodness.errors.recordings[0];
  errors.part = Part::ValidationFrame;
  errors.all.static_baseline = unknown;
  const auto judged = [&] {
    evidence.goodness.errors.validation_frames = errors.all;
    return judge_fit({MinimizerStatus::Converged, "", 0, true, {}, evidence.goodness});
  };
  CHECK(judged().status == RunStatus::Predicted);
  errors.all.model = unknown;
  errors.failure = "the positions diverge at step 12";
  CHECK(judged().status == RunStatus::NotSimulated);
  CHECK(judged().why == "film: the positions diverge at step 12");
}

TEST_CASE("verdict: derivatives that are not those of the motion make every fit doubtful, and come first",
          "[optim][verdict]") {
  const pithball::sim::Doubt doubt{"plane_penalty begins within a step", "write `smoothing: 8 mm`"};
  for (const double noise : {2e-3, 0.1e-3}) {
    const Evidence evidence(noise);
    FitEvidence all{MinimizerStatus::Converged, "the gradient is below its tolerance", 1, false, {}, evidence.goodness};
    const RunStatus without = judge_fit(all).status;
    all.gradients = {doubt};
    const RunVerdict verdict = judge_fit(all);
    CHECK(verdict.status == (info(without).grade == Grade::Good ? RunStatus::Doubtful : without));
    CHECK(verdict.why.rfind(doubt.reason, 0) == 0);
    CHECK(verdict.remedy.rfind(doubt.remedy, 0) == 0);
    all.status = MinimizerStatus::Stalled;
    CHECK(judge_fit(all).why.rfind(doubt.reason, 0) == 0);
  }
}

TEST_CASE("verdict: a misfit far above the noise and no small part of the motion does not fit", "[optim][verdict]") {
  Evidence far(2e-3);
  far.goodness.quality.recordings[0].misfit = 10e-3;
  CHECK(far.status() == RunStatus::DoesNotFit);
  far.goodness.quality.recordings[0].motion = 200e-3;  // a twentieth of it
  CHECK(far.status() == RunStatus::Converged);
}

TEST_CASE("verdict: a fit worse than a body at rest does not fit, whether the noise is known or not",
          "[optim][verdict]") {
  for (const double noise : {2e-3, unknown}) {
    Evidence worse(noise);
    worse.goodness.errors.recordings[0].all.model = 90e-3;
    CHECK(worse.status() != RunStatus::DoesNotFit);  // by accident of independent residuals below the motion
    worse.residuals().serial_z = 3;
    CHECK(worse.status() == RunStatus::DoesNotFit);
    CHECK(worse.verdict().why.find("static baseline 60 mm") != std::string::npos);
    worse.goodness.errors.recordings[0].all.static_baseline = 100e-3;
    worse.goodness.errors.recordings[0].all.constant_velocity = 50e-3;
    CHECK(worse.verdict().why.find("constant velocity 50 mm") != std::string::npos);
  }
}

TEST_CASE("verdict: correlated residuals raise a doubt only where estimates differ along the recordings",
          "[optim][verdict]") {
  Evidence colored(1e-3);
  colored.residuals().p_value = 1e-20;
  colored.residuals().serial_z = 9;
  colored.residuals().lag_1 = 0.6;
  CHECK(colored.goodness.has_correlated_residuals());
  CHECK(colored.status() == RunStatus::Converged);
  colored.goodness.change = "estimates from two halves of the time differ";
  CHECK(colored.status() == RunStatus::Doubtful);
  CHECK(colored.verdict().why.find("reduced χ² 1") != std::string::npos);
  colored.goodness.change = "";
  colored.goodness.quality.recordings[0].noise = unknown;
  CHECK(colored.status() == RunStatus::Doubtful);  // the size of the noise is unknown, but this is no noise
  colored.goodness.agreement.p_value = 0.3;        // or colored noise, with which estimates agree
  CHECK(colored.status() == RunStatus::CannotBeJudged);
}

TEST_CASE("verdict: an excess that no correlation explains is a doubt", "[optim][verdict]") {
  Evidence large(1e-3);
  large.goodness.quality.chi_square = 400;
  large.residuals().lag_1 = -0.1;
  CHECK(large.status() == RunStatus::Doubtful);
  CHECK(large.verdict().why.find("does not explain") != std::string::npos);
  large.residuals().lag_1 = 0.6;
  large.residuals().p_value = 1e-20;
  CHECK(large.status() == RunStatus::Converged);
  // Few residuals may be as correlated, though that is not significant.
  large.goodness.quality.recordings[0].noise_degrees = 50;
  large.residuals() = {.samples = 100, .lag_1 = 0.3, .serial_z = 3};
  CHECK(large.status() == RunStatus::Converged);
  large.residuals().samples = 1000;
  CHECK(large.status() == RunStatus::Doubtful);
}

TEST_CASE("verdict: correlated residuals explain an excess only as far as noise of their correlation has it",
          "[optim][verdict]") {
  Evidence smooth(0.36e-3);  // 31 times the noise squared
  smooth.goodness.quality.chi_square = 3100;
  smooth.residuals() = {.samples = 288, .lag_1 = 0.95, .p_value = 1e-33, .effective_samples = 7, .serial_z = 9};
  CHECK(smooth.status() == RunStatus::Converged);
  smooth.residuals().lag_1 = 0.8;
  CHECK(smooth.status() == RunStatus::Doubtful);
  CHECK(smooth.verdict().why.find("(0.8) does not explain") != std::string::npos);
  // A sigma that was written may stand for more than differences see.
  smooth.goodness.quality.recordings[0].sigma = 1e-3;
  CHECK(smooth.status() == RunStatus::Converged);
  // A correlation that begins within the recording.
  smooth = Evidence(0.36e-3);
  smooth.goodness.quality.chi_square = 3100;
  smooth.residuals() = {.samples = 1458, .lag_1 = 0.97, .p_value = 0, .effective_samples = 22, .serial_z = 9};
  smooth.goodness.whiteness[0].lag_1_of_halves = {0.97, 0.97};
  CHECK(smooth.status() == RunStatus::Converged);
  smooth.goodness.whiteness[0].lag_1_of_halves = {0.02, 0.98};
  CHECK(smooth.status() == RunStatus::Doubtful);
  CHECK(smooth.verdict().why.find("in the first half") != std::string::npos);
}

TEST_CASE("verdict: every reason and every remedy is said once, the cause first", "[optim][verdict]") {
  Evidence lacking(0.5e-3);
  lacking.goodness.quality.chi_square = 1600;
  lacking.residuals().lag_1 = 0.1;
  lacking.goodness.change = "estimates from two halves of the time differ";
  lacking.goodness.suspect = MisfitCause{"mass[1] explains 74 % of the excess of χ²",
                                         "`pithball diagnose` names what the model may lack", "", ""};
  const RunVerdict verdict = lacking.verdict();
  CHECK(verdict.status == RunStatus::Doubtful);
  CHECK(verdict.why.starts_with("mass[1] explains 74 %"));
  CHECK(verdict.remedy == "`pithball diagnose` names what the model may lack");
  CHECK(verdict.reason() == "mass[1] explains 74 % of the excess of χ², reduced χ² 16");
  lacking.goodness.suspect = {};
  lacking.goodness.causes = {{"exchanged names: 'a' and 'b'", "exchange them", "", "film"}};
  CHECK(lacking.verdict().reason() == "exchanged names: 'a' and 'b'");
  CHECK(lacking.verdict().remedy == "exchange them");
}

TEST_CASE("verdict: a model farther away than the mean of the recording does not fit", "[optim][verdict]") {
  Evidence far(unknown);
  far.goodness.quality.recordings[0].misfit = 80e-3;
  far.goodness.errors.recordings[0].all.model = 120e-3;
  CHECK(far.status() == RunStatus::DoesNotFit);
}

TEST_CASE("verdict: a misfit above the motion with residuals that last does not fit, whatever the baselines",
          "[optim][verdict]") {
  for (const double noise : {2e-3, unknown}) {
    Evidence far(noise);
    far.goodness.whiteness[0].series = 2;
    far.goodness.agreement.p_value = 0.4;
    RecordingMisfit& misfit = far.goodness.quality.recordings[0];
    misfit.misfit = 52e-3;
    misfit.motion = 40e-3;
    misfit.noise = noise;
    far.residuals().serial_z = 9;
    CHECK(far.status() == RunStatus::DoesNotFit);
    if (std::isnan(noise)) {
      far.residuals().effective_samples = 8;  // of noise so slow, the mean takes as much
      CHECK(far.status() == RunStatus::CannotBeJudged);
      far.residuals().effective_samples = 100;
    }
    misfit.misfit = 40e-3;  // as far as by chance
    CHECK(far.status() == (std::isnan(noise) ? RunStatus::CannotBeJudged : RunStatus::DoesNotFit));
    if (std::isnan(noise)) CHECK(far.verdict().why.find("noise that lasts") != std::string::npos);
  }
}

TEST_CASE("verdict: with an absolute sigma χ² above 1 is a doubt", "[optim][verdict]") {
  Evidence large(2e-3);
  large.goodness.quality.chi_square = 160;
  CHECK(large.status() == RunStatus::Converged);
  large.goodness.quality.absolute_sigma = true;
  CHECK(large.status() == RunStatus::Doubtful);
}

TEST_CASE("verdict: a value that explains much of the residuals is a doubt and named with its key",
          "[optim][verdict]") {
  Evidence late(2e-3);
  late.goodness.suspect =
      MisfitCause{"clock_offset explains 98 % of the excess of χ² (p = 1e-30)",
                  "write `clock: {offset: [-10 ms, 0 ms]}`", "clock: {offset: [-10 ms, 0 ms]}", "film"};
  CHECK(late.status() == RunStatus::Doubtful);
  CHECK(late.verdict().why.find("clock_offset explains 98 %") != std::string::npos);
  CHECK(late.verdict().remedy.find("clock: {offset") != std::string::npos);
}

TEST_CASE("verdict: recordings that contradict each other and possible aliases are doubts", "[optim][verdict]") {
  Evidence apart(2e-3);
  apart.goodness.contradiction = "recordings contradict each other: stiffness is 29.6 N/m in a, 30.4 N/m in b";
  apart.goodness.contradicted = "stiffness";
  CHECK(apart.status() == RunStatus::Doubtful);
  CHECK(apart.verdict().remedy.find("stiffness: {share: recording}") != std::string::npos);
  Evidence alias(2e-3);
  alias.goodness.aliases = "the fitted motion has 2.5 Hz and frames are taken at 2.5 Hz";
  CHECK(alias.status() == RunStatus::Doubtful);
}
