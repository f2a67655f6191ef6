#include "app/run_folder/fit_headline.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace pithball::app;
using pithball::optim::RecordingMisfit;
using pithball::optim::RunStatus;

namespace {

RecordingMisfit misfit(const char* recording, double misfit, double noise, double motion) {
  RecordingMisfit one;
  one.recording = recording;
  one.misfit = misfit;
  one.noise = noise;
  one.motion = motion;
  return one;
}

/// The demo's.
FitRecord demo() {
  FitRecord fit;
  fit.verdict.status = RunStatus::Converged;
  fit.search.message = "the cost falls by less than its tolerance";
  fit.search.cost_history = {9, 4, 2, 1, 1};
  fit.goodness.quality.chi_square = 975.2;
  fit.goodness.quality.degrees = 1000;
  fit.goodness.quality.recordings = {misfit("tracks", 4.93e-3, 4.87e-3, 0.4)};
  fit.estimates.parameters.resize(2);
  fit.estimates.parameters[0].name = "charge";
  fit.estimates.parameters[0].unit = "C";
  fit.estimates.parameters[0].estimate = 59.9289e-9;
  fit.estimates.parameters[0].standard_error = 0.114e-9;
  fit.estimates.parameters[1].name = "stiffness";
  fit.estimates.parameters[1].unit = "N/m";
  fit.estimates.parameters[1].estimate = 10.0022;
  fit.estimates.parameters[1].standard_error = 0.0731;
  return fit;
}

}  // namespace

TEST_CASE("fit headline: a good fit says how far it is away and what it found", "[app][fit]") {
  CHECK(fit_headline(demo()) ==
        "The fit converged after 4 iterations and fits: misfit 4.93 mm, 1.01 × the noise, reduced χ² 0.975. charge "
        "59.93(11) nC, stiffness 10.00(7) N/m.");
}

TEST_CASE("fit headline: where χ² is rough it names an interval, not a standard error", "[app][fit]") {
  FitRecord fit = demo();
  fit.estimates.parameters[0].interval.method = pithball::optim::IntervalMethod::Scan;
  fit.estimates.parameters[0].interval.lower = 52e-9;
  fit.estimates.parameters[0].interval.upper = 71e-9;
  CHECK(fit_headline(fit).ends_with("charge 59.9 nC (95 % interval 52 nC to 71 nC), stiffness 10.00(7) N/m."));
}

TEST_CASE("fit headline: other ends are reported as they are", "[app][fit]") {
  FitRecord fit = demo();
  fit.verdict.status = RunStatus::DoesNotFit;
  fit.goodness.quality.recordings.push_back(misfit("worse", 92e-3, 5e-3, 0.1));
  CHECK(
      fit_headline(fit).starts_with("The fit converged after 4 iterations but does not fit: misfit 92 mm, 18.4 × the "
                                    "noise (in worse, the worst of 2 recordings), reduced χ² 0.975."));
  fit = demo();  // of a large motion, a tenth of which is far beyond the noise
  fit.goodness.quality.recordings[0].misfit = 6.77 * fit.goodness.quality.recordings[0].noise;
  CHECK(fit_headline(fit).starts_with("The fit converged after 4 iterations, but not to within the noise: misfit"));
  fit = demo();
  fit.verdict.status = RunStatus::MaxIterations;
  CHECK(fit_headline(fit).starts_with("The fit ended after 4 iterations, before it converged: misfit"));
  fit.verdict.status = RunStatus::Stalled;
  fit.search.cost_history = {1, 1};
  CHECK(fit_headline(fit).starts_with("The fit stalled after 1 iteration: misfit"));
  fit.verdict.status = RunStatus::Doubtful;
  CHECK(fit_headline(fit).starts_with("The fit converged after 1 iteration and is doubtful: misfit"));
  fit.verdict.why = "recordings contradict each other: 29.6 N/m in a, 30.4 N/m in b; aliases cannot be excluded";
  CHECK(
      fit_headline(fit).starts_with("The fit converged after 1 iteration and is doubtful: recordings contradict each "
                                    "other: 29.6 N/m in a, 30.4 N/m in b; misfit"));
  fit.goodness.suspect = pithball::optim::MisfitCause{"mass[1] explains 74 % of the excess of χ²", "", "", ""};
  CHECK(fit_headline(fit).starts_with(
      "The fit converged after 1 iteration and is doubtful: mass[1] explains 74 % of the excess of χ²; misfit"));
  fit.verdict.status = RunStatus::NotUnique;
  CHECK(fit_headline(fit).starts_with("The fit converged after 1 iteration and is \"not unique\": mass[1] explains"));
  fit.verdict.status = RunStatus::Failed;
  fit.search.message = "it diverged at step 3";
  CHECK(fit_headline(fit) == "The fit failed: it diverged at step 3.");
}

TEST_CASE("fit headline: what is not known is left out, and of many parameters three are named", "[app][fit]") {
  FitRecord fit = demo();
  fit.goodness.quality.is_comparable = false;
  fit.goodness.quality.recordings[0].noise = not_known;
  CHECK(fit_headline(fit).starts_with("The fit converged after 4 iterations and fits: misfit 4.93 mm. charge"));
  fit.estimates.parameters.resize(8, fit.estimates.parameters[0]);
  fit.estimates.parameters[1].identifiable = false;
  fit.estimates.parameters[2].interval.upper_limit = 5.9e-5;
  fit.estimates.parameters[2].name = "linear_drag";
  fit.estimates.parameters[2].unit = "kg/s";
  CHECK(fit_headline(fit).ends_with(
      "charge 59.93(11) nC, stiffness not identifiable, linear_drag < 59 mg/s (95 %) and 5 more."));
  fit.estimates.parameters[2].interval.limit_holds = false;
  CHECK(fit_headline(fit).ends_with("linear_drag < 59 mg/s (of a model that does not fit) and 5 more."));
}
