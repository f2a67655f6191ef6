// What a fitted model lacks, of simulated recordings whose truth is known.

#include "optim/diagnosis/diagnosis.hpp"

#include <algorithm>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/misfit_diagnosis.hpp"
#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "sim/core/error.hpp"
#include "sim/force/drag.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;
namespace sim = pithball::sim;
namespace diff = pithball::diff;

namespace {

const BodyOptions hanging{.gravity = true, .time_step = 0.01, .steps = 120};

/// The fit of charge and stiffness, as factors, to a recording of another model with 2 mm of noise.
FitProblem hanging_fit(const diff::Scenario& truth, unsigned seed) {
  FitProblem problem;
  problem.scenarios = {make_body("body", hanging)};
  problem.observations = {record(truth, 2, 2e-3, seed)};
  for (const char* value : {"charge", "stiffness"}) {
    problem.parameters.push_back(shared(value));
    problem.parameters.back().factor = true;
  }
  return problem;
}

Diagnosis diagnose_fit(const FitProblem& problem, const DiagnosisOptions& options = {}) {
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  return diagnose(resolved, resolved, report.theta, report.scales, options);
}

/// The body with one value changed.
diff::Scenario hanging_with(const char* value, Index entry, double factor) {
  diff::Scenario truth = make_body("body", hanging);
  sim::Vector data = truth.model.values().data();
  data[truth.model.values().block(*truth.model.values().find(value)).offset + entry] *= factor;
  truth.model = truth.model.with_values(data);
  return truth;
}

/// The body with a drag, of 0.05 kg/s unless told, which the fit holds at 0.
diff::Scenario hanging_in_air(double coefficient = 0.05) {
  diff::Scenario truth = make_body("body", hanging);
  sim::Vector data = truth.model.values().data();
  const sim::ValueBlock& drag = truth.model.values().block(*truth.model.values().find("linear_drag"));
  data.segment(drag.offset, drag.size).setConstant(coefficient);
  truth.model = truth.model.with_values(data);
  return truth;
}

const TestedCandidate& first_finding(const Diagnosis& diagnosis) {
  REQUIRE(diagnosis.ok());
  REQUIRE(!diagnosis.findings.empty());
  return diagnosis.findings.front();
}

}  // namespace

TEST_CASE("diagnosis: a step beyond all numbers is a trial that failed, not an error", "[optim][diagnosis]") {
  // A stiffness that the recording hardly determines has an interval from 0 to infinity, and steps as large.
  FitProblem problem = hanging_fit(make_body("body", hanging), 1);
  const ResolvedFit resolved(problem);
  CandidateEffect effect;
  effect.run = [&](const Vector& theta, const Vector&, Vector& r) {
    return TrajectoryResidual(ParameterMap(resolved.map().scatter(theta), {}), problem.observations)
        .evaluate(Vector(), r, nullptr);
  };
  Vector r;
  CHECK(run_changed(effect, resolved.map().initial(), Vector(), r).ok());
  const Evaluation failed = run_changed(effect, Vector::Constant(2, 1e3), Vector(), r);  // exp(1000) is no number
  CHECK_FALSE(failed.ok());
  CHECK(failed.failure.find("finite number") != std::string::npos);
}

TEST_CASE("diagnosis: a complete model lacks nothing", "[optim][diagnosis]") {
  const Diagnosis diagnosis = diagnose_fit(hanging_fit(make_body("body", hanging), 1));
  REQUIRE(diagnosis.ok());
  CHECK(diagnosis.significant() == 0);
  CHECK(diagnosis.lacking().empty());
  CHECK(diagnosis.findings.size() > 20);
}

TEST_CASE("diagnosis: a drag that the fit holds at 0 is found, with its value", "[optim][diagnosis]") {
  const TestedCandidate found = first_finding(diagnose_fit(hanging_fit(hanging_in_air(), 2)));
  CHECK(found.candidate.name == "linear_drag");
  CHECK(found.candidate.one_sided);
  CHECK(found.order == 1);
  CHECK(found.adjusted < 1e-6);
  CHECK(found.test.shift[0] == Approx(0.05).epsilon(0.2));  // one step of a problem that is not linear
}

TEST_CASE("diagnosis: every fit names the suspect of an excess, by its own run as by another one",
          "[optim][diagnosis]") {
  const ResolvedFit resolved(hanging_fit(hanging_in_air(), 2));
  const FitReport report = fit(resolved);
  REQUIRE(report.goodness.quality.fits());
  REQUIRE(report.goodness.quality.is_above());
  REQUIRE(report.goodness.suspect);
  CHECK(report.goodness.suspect->reason.starts_with("linear_drag explains"));
  BoundedErrors errors;
  REQUIRE(find_errors(resolved, report.theta, report.scales, errors).ok());
  const SuspectSearch again = find_suspect(resolved, report.theta, errors, TestedElements::Few);
  REQUIRE(again.cause);
  CHECK(again.cause->reason == report.goodness.suspect->reason);
  CHECK(again.untested.empty());
  CHECK_FALSE(fit(hanging_fit(make_body("body", hanging), 1)).goodness.suspect);
}

TEST_CASE("diagnosis: a particle of twice the mass, seen in 16 frames, is no fit, and its mass is not ruled out",
          "[optim][diagnosis]") {
  const BodyOptions brief{.gravity = true, .time_step = 0.01, .steps = 60};
  diff::Scenario truth = make_body("body", brief);
  sim::Vector data = truth.model.values().data();
  data[truth.model.values().block(*truth.model.values().find("mass")).offset + 2] *= 2;
  truth.model = truth.model.with_values(data);
  for (const unsigned seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    FitProblem problem = hanging_fit(make_body("body", brief), seed);
    problem.scenarios = {make_body("body", brief)};
    problem.observations = {record(truth, 4, 2e-3, seed)};
    REQUIRE(problem.observations[0].times.size() == 16);
    const ResolvedFit resolved(problem);
    const FitReport report = fit(resolved);
    CHECK(info(report.verdict.status).grade != Grade::Good);
    const Diagnosis found = diagnose(resolved, resolved, report.theta, report.scales);
    const auto mass = std::ranges::find_if(found.findings,
                                           [](const TestedCandidate& one) { return one.candidate.name == "mass[2]"; });
    REQUIRE(mass != found.findings.end());
    CHECK((mass->explained > 0.5 || mass->is_undecided));
  }
}

TEST_CASE("diagnosis: a fit says what it could not test, and still tests the rest", "[optim][diagnosis]") {
  FitProblem problem = hanging_fit(hanging_in_air(), 2);
  problem.wider_models = [](const FitProblem&) -> std::vector<sim::Model> {
    throw pithball::InvalidArgument({"", "forces", "must be known", "none", ""});
  };
  const FitReport report = fit(problem);
  const auto is_note = [](const std::string& note) {
    return note.starts_with("what the model lacks was not tested: forces that it does not have: ");
  };
  CHECK(std::ranges::count_if(report.notes, is_note) == 1);
  CHECK(report.goodness.suspect);
  CHECK(std::ranges::none_of(fit(hanging_fit(hanging_in_air(), 2)).notes, is_note));
}

TEST_CASE("diagnosis: a value that differs between recordings is a factor of those given", "[optim][diagnosis]") {
  const auto drag_of = [](std::vector<diff::Scenario> recordings) {
    for (std::size_t s = 0; s < recordings.size(); ++s) recordings[s].name += std::to_string(s);
    const std::vector<Parameter> whole = find_held_values({}, recordings).whole;
    const CandidateColumns listed = list_candidates(ParameterMap(recordings, whole));
    return *std::ranges::find(listed.candidates, "linear_drag", &Candidate::value);
  };
  const Candidate differing = drag_of({hanging_in_air(), hanging_in_air(0.06)}), same = drag_of({hanging_in_air()});
  CHECK(differing.is_factor());
  CHECK(differing.held[0] == 1);
  CHECK_FALSE(same.is_factor());
  CHECK(same.held[0] == Approx(0.05));
}

TEST_CASE("diagnosis: a heavy particle, a soft spring and a slipped marker are found in their place",
          "[optim][diagnosis]") {
  SECTION("mass") {
    const TestedCandidate found = first_finding(diagnose_fit(hanging_fit(hanging_with("mass", 3, 1.1), 3)));
    CHECK(found.candidate.name == "mass[3]");
    CHECK(found.test.shift[0] == Approx(0.03).epsilon(0.25));
  }
  SECTION("stiffness") {
    const TestedCandidate found = first_finding(diagnose_fit(hanging_fit(hanging_with("stiffness", 4, 0.85), 4)));
    CHECK(found.candidate.value == "stiffness");
    CHECK(found.candidate.item == 4);
    CHECK(found.candidate.owner == sim::ValueOwner::Spring);
  }
  SECTION("marker") {
    FitProblem problem = hanging_fit(make_body("body", hanging), 5);
    problem.observations[0].markers[1].vertices = {{1, 0.9}, {3, 0.1}};  // it truly sits on particle 1
    const Diagnosis diagnosis = diagnose_fit(problem);
    const TestedCandidate found = first_finding(diagnosis);
    CHECK(found.candidate.value == "attachment");
    CHECK(found.candidate.recording == "body");
    CHECK(found.candidate.item == 1);
    CHECK(found.test.shift[0] == Approx(1).epsilon(0.1));  // all of the way
  }
}

TEST_CASE("diagnosis: random probes find what exact derivatives find", "[optim][diagnosis]") {
  const FitProblem problem = hanging_fit(hanging_with("mass", 3, 1.1), 3);
  const Diagnosis exact = diagnose_fit(problem), probed = diagnose_fit(problem, {.probes = 10, .exact = 3});
  CHECK(first_finding(probed).candidate.name == first_finding(exact).candidate.name);
  // Itself computed exactly, but among fewer columns, whose product may round otherwise on processors with other
  // caches. p = exp(−z²/2) with z² below 1500 magnifies that, of some 1e-13, at most so many times.
  CHECK(first_finding(probed).test.p == Approx(first_finding(exact).test.p).epsilon(1e-9));
  CHECK(probed.findings.size() == exact.findings.size());
  CHECK(std::ranges::count_if(probed.findings, [](const TestedCandidate& f) { return !f.is_exact; }) > 0);
}

TEST_CASE("diagnosis: values that the fitted ones explain are named, not tested", "[optim][diagnosis]") {
  FitProblem problem = hanging_fit(make_body("body", hanging), 6);
  problem.parameters[1].factor = false;
  problem.parameters[1].entries.sharing =
      EntrySharing::None;  // every stiffness by itself: all of them together are no news
  const Diagnosis diagnosis = diagnose_fit(problem);
  REQUIRE(diagnosis.ok());
  const auto is_stiffness = [](const Candidate& candidate) { return candidate.value == "stiffness"; };
  CHECK(std::ranges::none_of(diagnosis.findings, [&](const TestedCandidate& f) { return is_stiffness(f.candidate); }));
  CHECK(std::ranges::any_of(diagnosis.same_as_fitted, is_stiffness));
}
