// How a recording was made, among what a diagnosis tests: faults of simulated recordings whose truth is known.

#include "optim/diagnosis/measurement_chain.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <string>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/diagnosis/marker_clocks.hpp"
#include "optim/diagnosis/start_states.hpp"
#include "optim/fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;
namespace sim = pithball::sim;
namespace diff = pithball::diff;

namespace {

const BodyOptions hung{.gravity = true, .time_step = 0.01, .steps = 120};

diff::Scenario longer(diff::Scenario scenario) {
  scenario.steps += 2;  // later frames than the last one
  return scenario;
}

/// The fit of stiffness, as a factor, to a recording with 2 mm of noise.
FitProblem stiffness_fit(const diff::Scenario& model, Observation seen) {
  FitProblem problem;
  problem.scenarios = {longer(model)};
  problem.observations = {std::move(seen)};
  problem.parameters = {shared("stiffness")};
  problem.parameters.back().factor = true;
  return problem;
}

Observation seen_of(const diff::Scenario& truth, unsigned seed) { return record(truth, 2, 2e-3, seed); }

Diagnosis diagnosis_of(const FitProblem& problem) {
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  return diagnose(resolved, resolved, report.theta, report.scales, {});
}

/// Makes recordings wrong.
using Fault = void (*)(diff::Scenario& truth, Observation& seen);

void turn(diff::Scenario&, Observation& seen) {
  for (sim::Points& x : seen.positions) x = Eigen::AngleAxisd(0.017, sim::Vec3::UnitY()).toRotationMatrix() * x;
}
void move(diff::Scenario&, Observation& seen) {
  for (sim::Points& x : seen.positions) x.colwise() += sim::Vec3(2e-3, -2e-3, 2e-3);
}
void stretch(diff::Scenario&, Observation& seen) {
  for (sim::Points& x : seen.positions) x *= 1.01;
}
void delay(diff::Scenario&, Observation& seen) {
  for (double& t : seen.times) t += 5e-3;
}
void quicken(diff::Scenario&, Observation& seen) {
  for (double& t : seen.times) t *= 1.008;
}
void let_drift(diff::Scenario&, Observation& seen) {
  for (std::size_t f = 0; f < seen.times.size(); ++f)
    seen.positions[f].colwise() += 8e-3 * (seen.times[f] - 0.6) * sim::Vec3(1, 1, -1);
}
void move_one(diff::Scenario&, Observation& seen) {
  for (sim::Points& x : seen.positions) x.col(2) += sim::Vec3(3e-3, 3e-3, -3e-3);
}
/// The mean over five frames, of 0.02 s each: that over a window of this variance is √24 of them long.
void smooth(diff::Scenario&, Observation& seen) {
  const std::vector<sim::Points> x = seen.positions;
  for (std::size_t f = 2; f + 2 < x.size(); ++f)
    seen.positions[f] = (x[f - 2] + x[f - 1] + x[f] + x[f + 1] + x[f + 2]) / 5;
}
void push(diff::Scenario& truth, Observation&) { truth.initial.v.col(2) += sim::Vec3(0.04, 0.04, 0); }

/// What stands first; null: nothing.
const TestedCandidate* first_of(const Diagnosis& diagnosis) {
  const auto lacking = diagnosis.lacking();
  return lacking.empty() ? nullptr : lacking.front();
}

FitProblem faulty(Fault fault, unsigned seed, bool late_truth = false) {
  const diff::Scenario model = make_body("body", hung);
  diff::Scenario truth = model;
  Observation none;
  if (late_truth) fault(truth, none);
  Observation seen = seen_of(truth, seed);
  if (!late_truth) fault(truth, seen);
  return stiffness_fit(model, std::move(seen));
}

}  // namespace

TEST_CASE("measurement chain: derivatives are those of differences, in any unit of length", "[optim][diagnosis]") {
  const double noise = GENERATE(2e-6, 2e-3, 2.0);  // sigma scales all columns
  Observation seen = seen_of(make_body("body", hung), 1);
  seen.noise.sigma.setConstant(noise);
  const ResolvedFit fit(stiffness_fit(make_body("body", hung), std::move(seen)));
  BoundedErrors errors;
  REQUIRE(find_errors(fit, fit.map().initial(), {}, errors).ok());
  const FittedEnd end(fit, fit.map().initial(), errors);
  const MeasurementChain chain = find_measurement_chain(fit, end);
  REQUIRE(chain.evaluation.ok());
  const StartStates starts = find_start_states(fit, end);
  REQUIRE(starts.evaluation.ok());
  std::vector<CandidateEffect> effects = chain.effects;
  effects.insert(effects.end(), starts.effects.begin(), starts.effects.end());
  CHECK(effects.size() == 13);  // clock 2, placement 2, scale, smoothing, drift, offsets 4, start 2
  for (const CandidateEffect& effect : effects) {
    CAPTURE(effect.candidate.name);
    for (Eigen::Index k = 0; k < effect.G.cols(); ++k) {
      const double step = 1e-6;  // the clock stays within the steps around the first and last frame
      sim::Vector beta = sim::Vector::Zero(effect.G.cols()), ahead, behind;
      beta[k] = step;
      REQUIRE(effect.run(end.theta, beta, ahead).ok());
      REQUIRE(effect.run(end.theta, -beta, behind).ok());
      const sim::Vector difference = (ahead - behind) / (2 * step);
      REQUIRE(difference.norm() > 0);
      CHECK((difference - effect.G.col(k)).norm() < 1e-5 * difference.norm());
    }
  }
}

TEST_CASE("measurement chain: what is wrong with a recording stands first, with its value", "[optim][diagnosis]") {
  struct Row {
    const char* name;
    Fault fault;
    double size;
    bool of_truth = false;
  };
  const Row row = GENERATE(
      Row{"placement_rotation", turn, 0.017}, Row{"placement_translation", move, 2e-3 * std::sqrt(3)},
      Row{"placement_scale", stretch, 0.01}, Row{"clock_offset", delay, 5e-3}, Row{"clock_scale", quicken, 0.008},
      Row{"drift", let_drift, 8e-3 * std::sqrt(3)}, Row{"offset of marker 2", move_one, 3e-3 * std::sqrt(3)},
      Row{"smoothing", smooth, 24 * 0.02 * 0.02}, Row{"start_velocity", push, 0.04 * std::sqrt(2), true});
  CAPTURE(row.name);
  const Diagnosis diagnosis = diagnosis_of(faulty(row.fault, 7, row.of_truth));
  REQUIRE(diagnosis.ok());
  const TestedCandidate* first = first_of(diagnosis);
  REQUIRE(first != nullptr);
  const auto is_named = [&](const std::string& name) { return name == row.name; };
  INFO(first->candidate.name);
  CHECK((is_named(first->candidate.name) || std::ranges::any_of(first->same, is_named)));
  CHECK(first->candidate.comes_before_model());
  CHECK(first->explained > 0.5);
  if (is_named(first->candidate.name)) CHECK(first->test.shift.norm() == Approx(row.size).epsilon(0.3));
}

TEST_CASE("measurement chain: a complete model and a right recording raise no alarm", "[optim][diagnosis]") {
  int alarms = 0;
  for (unsigned seed = 1; seed <= 10; ++seed)
    alarms +=
        diagnosis_of(stiffness_fit(make_body("body", hung), seen_of(make_body("body", hung), seed))).significant() > 0;
  CHECK(alarms <= 1);  // at level 0.01, two or more of ten by chance in 4 of 1000
}

TEST_CASE("measurement chain: causes that a recording cannot tell apart are one finding", "[optim][diagnosis]") {
  // Of a free body without outer forces, a shift of the recording is one of the start.
  const BodyOptions free{.time_step = 0.01, .steps = 120};
  Observation seen = seen_of(make_body("body", free), 3);
  diff::Scenario unused = make_body("body", free);
  move(unused, seen);
  const Diagnosis diagnosis = diagnosis_of(stiffness_fit(make_body("body", free), std::move(seen)));
  const TestedCandidate* first = first_of(diagnosis);
  REQUIRE(first != nullptr);
  std::vector<std::string> names = first->same;
  names.push_back(first->candidate.name);
  for (const char* name : {"placement_translation", "start_position"})
    CHECK(std::ranges::find(names, name) != names.end());
}

TEST_CASE("measurement chain: what a fit varies is not tested", "[optim][diagnosis]") {
  FitProblem problem = stiffness_fit(make_body("body", hung), seen_of(make_body("body", hung), 5));
  for (const char* value : {"placement_rotation", "placement_translation"}) problem.parameters.push_back(shared(value));
  const Diagnosis diagnosis = diagnosis_of(problem);
  REQUIRE(diagnosis.ok());
  for (const TestedCandidate& finding : diagnosis.findings)
    for (const char* value : {"placement_rotation", "placement_translation"}) CHECK(finding.candidate.value != value);
}

namespace {

/// The recording of the body in which the first `late` markers are recorded with a delay [s].
FitProblem partly_late(sim::Index late, double delay, unsigned seed) {
  const diff::Scenario model = make_body("body", hung);
  diff::Scenario fine = model;
  constexpr sim::Index finer = 4;  // steps of 2.5 ms
  fine.time_step /= finer;
  fine.steps *= finer;
  const auto before = static_cast<std::size_t>(std::lround(delay / fine.time_step));
  Observation seen = record(model, 2, 2e-3, seed);
  const Observation exact = record(fine, 1, 0, seed), in_time = record(fine, 2 * finer, 0, seed);
  for (std::size_t f = 0; f < seen.times.size(); ++f) {
    const std::size_t n = 2 * finer * f;
    if (n < before) continue;
    seen.positions[f].leftCols(late) +=
        exact.positions[n - before].leftCols(late) - in_time.positions[f].leftCols(late);
  }
  return stiffness_fit(model, std::move(seen));
}

const TestedCandidate* find_clocks(const Diagnosis& diagnosis) {
  for (const TestedCandidate& one : diagnosis.findings)
    if (one.candidate.value == "marker_clocks") return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("marker clocks: markers that are recorded late are named, with their lag", "[optim][diagnosis]") {
  const sim::Index late = GENERATE(2, 3);  // of four, the first of which is pinned
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(late, seed);
    const Diagnosis diagnosis = diagnosis_of(partly_late(late, 5e-3, seed));
    const TestedCandidate* first = first_of(diagnosis);
    REQUIRE(first);
    REQUIRE(first->candidate.value == "marker_clocks");
    REQUIRE(first->test.shift.size() == 2);
    const double apart = first->test.shift[0] - first->test.shift[1];
    CHECK(std::abs(std::abs(apart) - 5e-3) < 5 * first->test.error.norm());
    CHECK(first->candidate.key.find("same_motion: [[") != std::string::npos);
    CHECK(first->candidate.key.find("role: validation") != std::string::npos);
  }
}

TEST_CASE("marker clocks: the second part has a free name, and markers with a sigma of their own are not split",
          "[optim][diagnosis]") {
  FitProblem problem = partly_late(2, 5e-3, 1);
  problem.scenarios.push_back(problem.scenarios[0]);
  problem.scenarios[1].name = "body-2";
  problem.observations.push_back(seen_of(make_body("body", hung), 2));
  const auto key_of = [](const FitProblem& one) {
    const Diagnosis diagnosis = diagnosis_of(one);
    const TestedCandidate* first = first_of(diagnosis);
    REQUIRE(first);
    REQUIRE(first->candidate.value == "marker_clocks");
    return first->candidate.key;
  };
  CHECK(key_of(problem).find("same_motion: [[body, body-3]]") != std::string::npos);
  problem.observations[0].noise.sigma[1] *= 1.01;
  CHECK(key_of(problem).empty());
}

TEST_CASE("marker clocks: the bounds of a clock contain its start, to every digit", "[optim][diagnosis]") {
  Observation seen = seen_of(make_body("body", hung), 1);
  for (double& time : seen.times) time += 1.0 / 3;
  const auto bounds_of = [&](const PredictedClock& clock) {
    const std::string key = clock_key(clock, seen);
    CAPTURE(key);
    const std::size_t begin = key.find('[') + 1, middle = key.find(", ", begin) + 2;
    return std::pair(std::stod(key.substr(begin)), std::stod(key.substr(middle)));
  };
  for (const double held : {1.0 / 7, -1.0 / 7, 2.0 / 3, 0.1})
    for (const double shift : {1e-3, -1e-3}) {  // the start is one of the ends
      const auto [lower, upper] = bounds_of({held, shift, 1e-5});
      CHECK(lower <= std::min(held, held + shift));
      CHECK(upper >= std::max(held, held + shift));
      CHECK(upper - lower < 3e-3);
    }
  CHECK(bounds_of({-1.0 / 3, 1e-3, 1e-3}).first + seen.times.front() >= 0);  // no frame before the simulation
  const ClockBounds scale(PredictedClock{1.0 / 3, 1e-3, 1e-5});
  CHECK(std::stod(scale.text().substr(1)) <= 1.0 / 3);
  seen.noise.thermal_energy = 4e-21;
  CHECK(clock_key({0, 1e-3, 1e-3}, seen).empty());  // no clock is fitted beside Brownian motion
}

TEST_CASE("marker clocks: one clock for all markers is not called several", "[optim][diagnosis]") {
  int below = 0;
  constexpr int count = 10;
  for (unsigned seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    const Diagnosis late = diagnosis_of(faulty(delay, seed)), right = diagnosis_of(partly_late(0, 0, seed));
    REQUIRE(first_of(late));
    CHECK(first_of(late)->candidate.value == "clock_offset");
    CHECK_FALSE(first_of(right));
    for (const Diagnosis* one : {&late, &right}) {
      const TestedCandidate* clocks = find_clocks(*one);
      REQUIRE(clocks);
      CHECK(clocks->order == 0);
      below += clocks->test.p < 0.05;
    }
  }
  CHECK(below <= 4);  // of 20; the test of any contrast is conservative
}

namespace {

/// The fit of stiffness and a free start to a recording that does not see y, where one particle starts off by `off` [m]
/// along y.
FitProblem without_depth(double off, unsigned seed) {
  const diff::Scenario truth = make_body("body", hung);
  Observation seen = seen_of(truth, seed);
  for (sim::Points& x : seen.positions) x.row(1).setConstant(NAN);
  FitProblem problem = stiffness_fit(truth, std::move(seen));
  problem.scenarios[0].initial.x(1, 3) += off;
  for (const char* value : {"position", "velocity"}) {
    Parameter& start = problem.parameters.emplace_back(shared(value));
    start.entries.sharing = EntrySharing::None;
    start.entries.selected = {1, 2, 3};
    start.entries.components = "xz";
    start.is_nuisance = true;
  }
  return problem;
}

}  // namespace

TEST_CASE("start states: along an axis that no recording sees the start is tested, before any force",
          "[optim][diagnosis]") {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const Diagnosis diagnosis = diagnosis_of(without_depth(0.02, seed));
    const TestedCandidate* first = first_of(diagnosis);
    REQUIRE(first);
    CHECK(first->candidate.name == "start_position.y");
    CHECK(first->candidate.key == "parameters: [position: {share: none, recordings: each, select: [1, 2, 3]}]");
    REQUIRE(first->test.shift.size() == 3);
    CHECK(std::abs(first->test.shift[2] + 0.02) < 4 * first->test.error[2]);
    CHECK_FALSE(first_of(diagnosis_of(without_depth(0, seed))));
  }
}
