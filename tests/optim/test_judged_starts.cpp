// Recordings that are only judged: their start comes from their own first frames, the parameters from others.
#include <cmath>

#include "optim/cross_validation.hpp"
#include "optim/fit.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;

namespace {

/// One body thrown differently in each recording; its start is known of none.
FitProblem thrown_bodies(double noise, int recordings) {
  FitProblem problem;
  for (int s = 0; s < recordings; ++s) {
    diff::Scenario truth = make_body("film" + std::to_string(s));
    truth.initial.v.row(s % 3).array() += 0.3;
    truth.initial.v(0, 3) = 0.2 * s;
    problem.observations.push_back(test::record(truth, 1, noise, static_cast<unsigned>(s) + 1));
    truth.initial.v.setZero();
    problem.scenarios.push_back(truth);
    for (const char* value : {"position", "velocity"}) {
      Parameter start = test::shared(value);
      start.entries.sharing = EntrySharing::None;
      start.recordings.sharing = RecordingSharing::Each;
      start.recordings.scenarios = {s};
      start.is_nuisance = true;
      problem.parameters.push_back(start);
    }
  }
  Parameter stiffness = test::shared("stiffness", 0.9);
  stiffness.factor = true;
  problem.parameters.insert(problem.parameters.begin(), stiffness);
  return problem;
}

}  // namespace

TEST_CASE("judged starts: a recording that takes no part is forecast from its own first frames",
          "[optim][fit][start]") {
  const double noise = 1e-3;
  FitProblem problem = thrown_bodies(noise, 2);
  judge_recording(problem, 1);
  REQUIRE(problem.start_fits.size() == 1);
  CHECK(problem.start_fits[0].parameters.size() == 2);
  CHECK(problem.start_fits[0].frames == 13);  // a quarter of 51
  CHECK(problem.parameters.size() == 3);
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  CHECK(report.estimates.parameters.size() == 1 + 24);
  for (const FittedParameter& p : report.estimates.parameters) CHECK(p.identifiable);
  REQUIRE(report.started.size() == 1);
  CHECK(report.started[0].recording == 1);
  CHECK(fitted_scenarios(resolved, report)[1].initial.v == report.started[0].state.v);
  CHECK(fitted_scenarios(resolved, report)[0].initial.v != problem.scenarios[0].initial.v);
  // 38 frames of four markers are judged, and three numbers each have the noise. The start's error grows on the way:
  // a velocity from 0.24 s of 1 mm is wrong by about 4 mm/s.
  CHECK(report.goodness.errors.validation_frames.samples == 38 * 4);
  CHECK(report.goodness.errors.validation_frames.model > 0.8 * noise * std::sqrt(3.0));
  CHECK(report.goodness.errors.validation_frames.model < 6 * noise * std::sqrt(3.0));
  CHECK(report.goodness.errors.validation_frames.static_baseline > 20 * noise);
}

TEST_CASE("judged starts: without noise they are exact", "[optim][fit][start][reference]") {
  FitProblem problem = thrown_bodies(0, 2);
  judge_recording(problem, 1);
  problem.search.minimizer.function_tolerance = 1e-16;
  const FitReport report = fit(problem);
  REQUIRE(report.started.size() == 1);
  CHECK(report.started[0].state.v(0, 3) == Approx(0.2).epsilon(1e-5));
  CHECK(report.goodness.errors.validation_frames.model <
        1e-6 * report.goodness.errors.validation_frames.static_baseline);
}

TEST_CASE("cross validation: each recording is judged by a fit to the others", "[optim][fit][start]") {
  const double noise = 1e-3;
  const FitProblem problem = thrown_bodies(noise, 3);
  const std::vector<CrossValidation> judged = cross_validate(problem);
  REQUIRE(judged.size() == 3);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(judged[s].status == MinimizerStatus::Converged);
    CHECK(judged[s].errors.recording == "film" + std::to_string(s));
    CHECK(judged[s].errors.all.samples == 38 * 4);
    CHECK(judged[s].errors.all.model < 6 * noise * std::sqrt(3.0));
  }
  // It is the fit to the others: what the recording itself shows later has no say.
  FitProblem other = problem;
  for (std::size_t f = 13; f < 51; ++f) other.observations[2].positions[f].array() += 0.05;
  const double shifted = cross_validate(other)[2].errors.all.model;
  CHECK(shifted == Approx(0.05 * std::sqrt(3.0)).epsilon(0.1));
  CHECK(contains(complaint([] { cross_validate(thrown_bodies(1e-3, 1)); }), "at least two recordings"));
}
