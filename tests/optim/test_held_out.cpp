#include <cmath>

#include "optim/fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;

namespace {

FitProblem stiffness_problem() {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 5, 1e-3, 31)};
  Parameter stiffness = test::shared("stiffness", 0.8);
  stiffness.factor = true;
  problem.parameters = {stiffness};
  return problem;
}

}  // namespace

TEST_CASE("held-out marker: it does not enter the fit and is judged against the baselines", "[optim][fit][held_out]") {
  FitProblem without = stiffness_problem(), with = without;
  Observation& seen = with.observations[0];
  seen.validation.markers = {false, false, false, true};
  for (sim::Points& frame : seen.positions) frame.col(3).array() += 0.05;  // whatever it shows
  Observation& rest = without.observations[0];
  for (sim::Points& frame : rest.positions) frame.col(3).setConstant(NAN);
  const FitReport kept_out = fit(with), never_seen = fit(without);
  CHECK(kept_out.theta == never_seen.theta);
  CHECK(kept_out.estimates.parameters[0].standard_error == never_seen.estimates.parameters[0].standard_error);
  CHECK(kept_out.goodness.errors.fit.samples == 11 * 3);
  CHECK(kept_out.goodness.errors.fit.model == never_seen.goodness.errors.fit.model);
  CHECK(kept_out.goodness.errors.validation_markers.samples == 11);
  // 5 cm in each coordinate, and noise of 1 mm.
  CHECK(kept_out.goodness.errors.validation_markers.model == Approx(0.05 * std::sqrt(3.0)).epsilon(0.03));
  CHECK(kept_out.goodness.errors.validation_markers.static_baseline > 0);
  REQUIRE(kept_out.goodness.errors.recordings.size() == 2);
  CHECK(kept_out.goodness.errors.recordings[1].part == Part::ValidationMarker);
  CHECK(kept_out.goodness.errors.recordings[1].markers[3].samples == 11);
  CHECK(kept_out.goodness.errors.recordings[1].markers[0].samples == 0);
  CHECK(never_seen.goodness.errors.validation_markers.samples == 0);
  REQUIRE(kept_out.goodness.whiteness.size() == 1);
  CHECK(kept_out.goodness.whiteness[0].markers[3].samples == 0);
}

TEST_CASE("held-out marker: the right model predicts it as well as what it was fitted to", "[optim][fit][held_out]") {
  FitProblem problem = stiffness_problem();
  problem.observations[0].validation.markers = {false, true, false, false};
  problem.observations[0].validation.from = 0.75;
  const FitReport report = fit(problem);
  // Of eleven frames 0, 0.1, … the last three are forecast, for every marker.
  CHECK(report.goodness.errors.fit.samples == 8 * 3);
  CHECK(report.goodness.errors.validation_markers.samples == 8);
  CHECK(report.goodness.errors.validation_frames.samples == 3 * 4);
  // Noise of 1 mm in three coordinates; the mean over 24 residuals scatters by 1/√48.
  CHECK(report.goodness.errors.validation_markers.model == Approx(1e-3 * std::sqrt(3.0)).epsilon(4 / std::sqrt(48.0)));
  CHECK(report.goodness.errors.validation_markers.static_baseline >
        10 * report.goodness.errors.validation_markers.model);
  CHECK(report.goodness.errors.validation_markers.constant_velocity >
        10 * report.goodness.errors.validation_markers.model);
  const MarkerTracks& tracks = report.tracks[0];
  CHECK(tracks.part(0, 0) == Part::Fit);
  CHECK(tracks.part(0, 1) == Part::ValidationMarker);
  CHECK(tracks.part(9, 1) == Part::ValidationFrame);
}

TEST_CASE("held-out marker: sizes are checked, and something must be left to fit", "[optim][held_out][error]") {
  FitProblem problem = stiffness_problem();
  problem.observations[0].validation.markers = {true};
  CHECK(contains(complaint([&] { fit(problem); }), "validation_markers: must have one entry for each marker"));
  problem.observations[0].validation.markers.assign(4, true);
  CHECK(contains(complaint([&] { fit(problem); }), "at least one position to fit"));
}
