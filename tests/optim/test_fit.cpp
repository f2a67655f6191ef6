#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "optim/fit.hpp"
#include "optim/fit/half_step.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

void flip_bit(const std::filesystem::path& file, std::uintmax_t byte) {
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(static_cast<std::streamoff>(byte));
  const char was = static_cast<char>(bytes.get());
  bytes.seekp(static_cast<std::streamoff>(byte));
  bytes.put(static_cast<char>(was ^ 4));
}

Parameter factor(const std::string& value, double initial) {
  Parameter p = shared(value, initial);
  p.factor = true;
  return p;
}

/// Charge and stiffness of the body (as factors on the truth, 1) from a recording by a finer integrator.
FitProblem charge_and_stiffness(double noise, unsigned seed) {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(test::refined(truth), 20, noise, seed)};
  problem.parameters = {factor("charge", 1.6), factor("stiffness", 0.5)};
  return problem;
}

}  // namespace

TEST_CASE("fit: every solver recovers charge and stiffness from a finer-step recording", "[optim][fit]") {
  for (const std::string& solver : minimizers().names()) {
    INFO(solver);
    FitProblem problem = charge_and_stiffness(0, 1);
    problem.search.solver = solver;
    const FitReport report = fit(problem);
    CHECK(report.search.status == MinimizerStatus::Converged);
    REQUIRE(report.estimates.parameters.size() == 2);
    // The midpoint rule lowers a frequency by ω²h²/12, so that a stiffness comes out too large by ω²h²/6: 1.1 % at h =
    // 0.02 s and the fastest mode's ω² of about 4k/m.
    CHECK(report.estimates.parameters[0].estimate == Approx(1).epsilon(0.012));
    CHECK(report.estimates.parameters[1].estimate == Approx(1).epsilon(0.012));
    CHECK(report.estimates.parameters[0].initial == 1.6);
    CHECK(report.estimates.parameters[0].identifiable);
    CHECK(report.goodness.errors.fit.samples == 26 * 4);
    CHECK(report.goodness.errors.fit.model < 0.01 * report.goodness.errors.fit.static_baseline);
    CHECK(report.goodness.errors.fit.model < 0.01 * report.goodness.errors.fit.constant_velocity);
    CHECK(report.estimates.condition < 1e3);
    CHECK(report.estimates.correlation.rows() == 2);
    CHECK(report.search.cost_history.back() < 1e-3 * report.search.cost_history.front());
    CHECK((minimizers().at(solver).uses_jacobian ? report.search.evaluations.tangent
                                                 : report.search.evaluations.adjoint) > 2);
    // The sign of the charge; and what the step does to the motion is no noise.
    REQUIRE(report.notes.size() >= 2);
    CHECK(report.notes[0].find("sign") != std::string::npos);
    const auto said = [&](const char* words) {
      return std::ranges::any_of(report.notes,
                                 [&](const std::string& n) { return n.find(words) != std::string::npos; });
    };
    CHECK(said("not independent"));
    CHECK(said("with half the time step the estimate would change by"));
  }
}

TEST_CASE("fit: exact recordings are named as such, and nothing is read from their rounding", "[optim][fit]") {
  FitProblem problem = charge_and_stiffness(0, 1);
  problem.observations = {test::record(problem.scenarios[0], 20, 0, 1)};  // by the same integrator and step
  const FitReport report = fit(problem);
  const auto says = [&](const char* part) {
    return std::ranges::count_if(report.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
  };
  CHECK(says("the recordings are exact") == 1);
  CHECK(says("not independent from frame to frame") == 0);
  CHECK(says("half the time step") == 0);
}

TEST_CASE("fit: a finer step moves the estimates toward the truth", "[optim][fit][order]") {
  const FitProblem coarse = charge_and_stiffness(0, 1);
  const double error = std::abs(fit(coarse).estimates.parameters[1].estimate - 1);
  const double halved = std::abs(fit(with_halved_step(coarse)).estimates.parameters[1].estimate - 1);
  // The integrator is of order 2: a quarter, against a reference whose own error is a hundredth.
  CHECK(halved / error == Approx(0.25).margin(0.05));
}

namespace {

Vector theta_of(const ParameterMap& map, const HalvedStep& halved) {
  Vector theta(map.size());
  for (Index k = 0; k < map.size(); ++k) theta[k] = map.info()[k].transform.theta(halved.parameters[k].estimate);
  return theta;
}

}  // namespace

TEST_CASE("fit: one run at half the step says where a fit at half the step goes, and where the step's error ends",
          "[optim][fit][order]") {
  const FitProblem problem = charge_and_stiffness(1e-4, 3);
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  const HalvedStep halved = refit_at_half_step(resolved, report).step;
  REQUIRE(halved.status == MinimizerStatus::Converged);
  CHECK_FALSE(halved.another_minimum);
  REQUIRE(report.half_step.size() == 2);
  const Vector theta = theta_of(resolved.map(), halved);
  const double way = (theta - report.theta).norm();
  CHECK(way > 3 * report.theta_error.norm());  // the step matters here
  CHECK(report.verdict.status == RunStatus::Doubtful);
  CHECK(report.verdict.why.find("halving the time step would change stiffness") != std::string::npos);
  CHECK(report.verdict.remedy.find("simulation.time_step: ") != std::string::npos);
  CHECK((theta - report.theta - report.half_step).norm() < 0.1 * way);  // to first order
  const FittedParameter& stiffness = report.estimates.parameters[1];
  CHECK(std::abs(stiffness.half_step.shift) > 0.3);
  CHECK(std::abs(stiffness.half_step.extrapolated - 1) < 0.2 * std::abs(stiffness.estimate - 1));

  // A search that ends elsewhere than where that run points to has found another minimum.
  FitReport elsewhere = report;
  elsewhere.half_step += Vector::Constant(2, 10 * way);
  elsewhere.half_step *= 0.01;
  elsewhere.theta_error *= 1e-3;
  CHECK(refit_at_half_step(resolved, elsewhere).step.another_minimum);
}

TEST_CASE("fit: half the time step changes estimates that priors know better than the recording, too", "[optim][fit]") {
  FitProblem problem = charge_and_stiffness(1e-4, 3);
  const FitReport without = fit(problem);
  for (std::size_t k = 0; k < 2; ++k) {  // far more information than the recording has of each value alone
    const FittedParameter& p = without.estimates.parameters[k];
    problem.parameters[k].priors = {GaussianPrior{p.estimate, p.standard_error / 8}};
  }
  const FitReport report = fit(problem);
  REQUIRE(report.half_step.size() == 2);
  REQUIRE(report.half_step.allFinite());
  CHECK(report.half_step.cwiseQuotient(report.theta_error).cwiseAbs().maxCoeff() > 0.3);
  CHECK(std::ranges::none_of(report.notes, [](const std::string& note) {
    return note.find("changes the motion by more than can be translated") != std::string::npos;
  }));
}

TEST_CASE("fit: the time step that is recommended divides the present one", "[optim][fit]") {
  FitProblem problem;
  problem.scenarios = {make_body("a")};
  problem.scenarios[0].time_step = 1.0 / 3000;
  FittedParameter moved;
  moved.name = "charge";
  for (const double shift : {0.4, 1.0, 7.0, 60.0}) {
    moved.half_step.shift = shift;
    const std::vector<std::string> said = say_step_effects({moved}, problem);
    REQUIRE(said.size() == 1);
    const std::string key = "simulation.time_step: ";
    const double parts = problem.scenarios[0].time_step / std::stod(said[0].substr(said[0].find(key) + key.size()));
    CAPTURE(shift, parts);
    CHECK(parts >= 2 - 1e-6);
    CHECK(std::abs(parts - std::round(parts)) < 1e-6 * parts);
    CHECK(doubt_step_effects({moved}, problem).has_value() == (shift > 2));
  }
}

TEST_CASE("fit: standard errors shrink with the noise and name what the data do not determine", "[optim][fit]") {
  // Masses, stiffness and damping scale together with squared charge when nothing external acts.
  FitProblem problem = charge_and_stiffness(1e-3, 4);
  problem.parameters = {factor("charge", 1.1), factor("stiffness", 0.9), factor("mass", 1.1), factor("damping", 1.2)};
  const FitReport report = fit(problem);
  CHECK(report.search.status != MinimizerStatus::Failed);
  REQUIRE(report.estimates.weak_directions.size() == 1);
  for (const FittedParameter& p : report.estimates.parameters) {
    INFO(p.name);
    CHECK_FALSE(p.identifiable);
    CHECK(std::isinf(p.standard_error));
    // Logarithms of k, m and c by 1 and the factor of charge (scaled by its start) by half.
    CHECK(p.weak_direction.find("stiffness") != std::string::npos);
  }
  // Without the mass the same data determine the rest.
  problem.parameters.erase(problem.parameters.begin() + 2);
  const FitReport fixed_mass = fit(problem);
  CHECK(fixed_mass.estimates.weak_directions.empty());
  for (const FittedParameter& p : fixed_mass.estimates.parameters) {
    INFO(p.name);
    CHECK(p.standard_error < 0.3 * p.estimate);
    CHECK(p.interval.lower < p.estimate);
    CHECK(p.interval.upper > p.estimate);
    CHECK(p.interval.lower > 0);
  }
  CHECK(fixed_mass.estimates.residual_scale == Approx(1).margin(0.15));  // 1/√(2·300) is 0.04; the step adds a little
}

TEST_CASE("fit: 95 % intervals hold the truth about 95 times in 100", "[optim][fit]") {
  // The recording comes from the same integrator and step, so that only noise separates estimate and truth.
  const diff::Scenario truth = make_body("a");
  int hits = 0, trials = 0;
  for (unsigned seed = 100; seed < 200; ++seed) {
    FitProblem problem;
    problem.scenarios = {truth};
    problem.observations = {test::record(truth, 5, 5e-3, seed)};
    problem.parameters = {factor("charge", 1.1), factor("stiffness", 0.9)};
    for (const FittedParameter& p : fit(problem).estimates.parameters) {
      ++trials;
      if (p.interval.lower <= 1 && 1 <= p.interval.upper) ++hits;
    }
  }
  // 200 trials (in pairs, hence counted as 100): 0.95 ± 3 standard deviations of 0.022.
  CHECK(static_cast<double>(hits) / trials > 0.885);
  CHECK(hits < trials);  // intervals that never miss are too wide: the chance of that is 4e-5 to 6e-3
}

TEST_CASE("fit: recordings share one charge and keep their own starts; unseen ones are forecast", "[optim][fit]") {
  BodyOptions options, other;
  other.gravity = true;
  const std::vector<diff::Scenario> truth = {make_body("one", options), make_body("two", other),
                                             make_body("new", options)};
  FitProblem problem;
  problem.scenarios = truth;
  for (std::size_t s = 0; s < truth.size(); ++s)
    problem.observations.push_back(test::record(truth[s], 5, 1e-3, 20 + static_cast<unsigned>(s)));
  problem.observations[0].validation.from = 0.6;
  problem.observations[2].validation.from = -1;
  Parameter velocity = shared("velocity");
  velocity.entries.sharing = EntrySharing::None;
  velocity.entries.selected = {1};
  velocity.recordings.sharing = RecordingSharing::Each;
  velocity.recordings.scenarios = {0, 1};
  problem.scenarios[0].initial.v.setZero();
  problem.scenarios[1].initial.v.setZero();
  problem.parameters = {factor("charge", 1.3), velocity};
  const FitReport report = fit(problem);
  REQUIRE(report.estimates.parameters.size() == 7);
  CHECK(report.estimates.parameters[0].estimate == Approx(1).margin(4 * report.estimates.parameters[0].standard_error));
  CHECK(report.estimates.parameters[2].name == "velocity[one][1].y");
  CHECK(report.estimates.parameters[2].scope.recording == "one");
  CHECK(report.estimates.parameters[2].estimate ==
        Approx(-0.2).margin(4 * report.estimates.parameters[2].standard_error));
  REQUIRE(report.goodness.errors.recordings.size() == 4);  // one: fit and forecast, two: fit, new: forecast
  CHECK(report.goodness.errors.recordings[1].part == Part::ValidationFrame);
  CHECK(report.goodness.errors.recordings[3].recording == "new");
  CHECK(report.goodness.errors.fit.samples == (6 + 11) * 4);
  CHECK(report.goodness.errors.validation_frames.samples == (5 + 11) * 4);
  // Noise of 1 mm in three components is 1.7 mm of distance.
  CHECK(report.goodness.errors.validation_frames.model < 3e-3);
  CHECK(report.goodness.errors.validation_frames.static_baseline > 10 * report.goodness.errors.validation_frames.model);
  CHECK(report.goodness.errors.recordings[0].markers.size() == 4);
}

TEST_CASE("fit: final positions alone are one frame of an observation", "[optim][fit]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, truth.steps, 0, 1)};
  Observation& o = problem.observations[0];
  o.times.erase(o.times.begin());
  o.positions.erase(o.positions.begin());
  problem.parameters = {factor("charge", 1.3)};
  const FitReport report = fit(problem);
  CHECK(report.goodness.errors.fit.samples == 4);
  CHECK(report.estimates.parameters[0].estimate == Approx(1).epsilon(1e-6));
}

TEST_CASE("fit: a robust loss withstands mistracked markers", "[optim][fit][robust]") {
  FitProblem problem = charge_and_stiffness(1e-3, 9);
  for (std::size_t f = 3; f < problem.observations[0].positions.size(); f += 6)
    problem.observations[0].positions[f].col(static_cast<Index>(f) % 4).array() += 0.3;
  const double plain = std::abs(fit(problem).estimates.parameters[0].estimate - 1);
  problem.loss = RobustLoss("cauchy", 3);
  const double robust = std::abs(fit(problem).estimates.parameters[0].estimate - 1);
  CHECK(robust < 0.01);
  CHECK(robust < plain / 3);
}

TEST_CASE("fit: bounds hold, and an estimate on a bound says so", "[optim][fit]") {
  for (const std::string& solver : minimizers().names()) {
    INFO(solver);
    FitProblem problem = charge_and_stiffness(0, 1);
    problem.search.solver = solver;
    problem.parameters[0].range.lower = 1.2;
    problem.parameters[0].range.upper = 2;
    const FitReport report = fit(problem);
    CHECK(report.estimates.parameters[0].estimate == Approx(1.2).epsilon(1e-5));
    CHECK(report.estimates.parameters[0].estimate >= 1.2 * (1 - 1e-14));
    CHECK(report.estimates.parameters[0].interval.at_bound);
    CHECK_FALSE(report.estimates.parameters[1].interval.at_bound);
  }
}

TEST_CASE("fit: starts and steps that cannot be run are reported, never a crash", "[optim][fit]") {
  BodyOptions wild;
  wild.integrator = "velocity_verlet";
  wild.time_step = 0.5;
  wild.steps = 400;
  FitProblem problem;
  problem.scenarios = {make_body("wild", wild)};
  problem.observations = {test::record(make_body("calm"), 50, 0, 1)};
  problem.observations[0].times.back() = 200;
  problem.parameters = {factor("charge", 1)};
  for (const std::string& solver : minimizers().names()) {
    problem.search.solver = solver;
    const FitReport report = fit(problem);
    CHECK(report.search.status == MinimizerStatus::Failed);
    CHECK(report.search.message.find("recording 'wild': diverged at step") != std::string::npos);
    CHECK(report.estimates.parameters[0].estimate == 1);
    CHECK(std::isnan(report.estimates.parameters[0].standard_error));
  }
  // From a stiffness near the limit of stability, steps toward more of it cannot be run; the search goes round them.
  wild.time_step = 0.16;
  wild.steps = 60;
  wild.damping = 0;
  const diff::Scenario truth = make_body("edge", wild);
  problem.scenarios = {truth};
  problem.observations = {test::record(truth, 1, 0, 1)};
  problem.parameters = {factor("stiffness", 0.7)};
  problem.search.solver = "levenberg_marquardt";
  CHECK(fit(problem).search.status != MinimizerStatus::Failed);
}

TEST_CASE("fit: a killed search continues from its journal to the same result, computing nothing twice",
          "[optim][fit][journal]") {
  const std::filesystem::path whole = std::filesystem::temp_directory_path() / "pithball-test-journal.bin",
                              torn = whole.string() + ".torn";
  for (const std::string& solver : minimizers().names()) {
    INFO(solver);
    FitProblem problem = charge_and_stiffness(1e-3, 3);
    problem.search.solver = solver;
    problem.uncertainty.full_limit = 0;  // the judgment after the search is not journaled
    const FitReport plain = fit(problem);
    std::filesystem::remove(whole);
    const FitReport first = fit(problem, {.journal = whole.string()});
    CHECK(first.theta == plain.theta);

    // Killed in the middle of writing a record: the file ends anywhere.
    const auto size = std::filesystem::file_size(whole);
    std::filesystem::copy_file(whole, torn, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(torn, size / 2 + 3);
    const FitReport resumed = fit(problem, {.journal = torn.string()});
    CHECK(resumed.theta == plain.theta);
    CHECK(resumed.search.cost_history == plain.search.cost_history);
    const auto made = [](const FitReport& r) { return r.search.evaluations.tangent + r.search.evaluations.adjoint; };
    CHECK(made(resumed) > 0);
    CHECK(made(resumed) < made(first));
    CHECK(std::filesystem::file_size(torn) == size);  // complete again

    // A bit that flipped on the disk: what comes after it is computed again.
    flip_bit(torn, size / 3);
    const FitReport mended = fit(problem, {.journal = torn.string()});
    CHECK(mended.theta == plain.theta);
    CHECK(mended.search.cost_history == plain.search.cost_history);
    CHECK(made(mended) > 0);

    problem.parameters[0].initial = 1.5;
    CHECK_THROWS_WITH(fit(problem, {.journal = torn.string()}), Catch::Contains("evaluation log of this fit"));
  }
  std::filesystem::remove(whole);
  std::filesystem::remove(torn);
}
