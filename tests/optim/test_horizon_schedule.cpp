#include "optim/fit/horizon_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/swing.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::contains;
using test::recorded_swing;

namespace {

HorizonSchedule schedule_of(const FitProblem& problem) {
  const ResolvedFit fit(problem);
  Vector r;
  Eigen::MatrixXd J;
  const Evaluation evaluation = fit.residual().trajectories().evaluate(fit.map().initial(), r, &J);
  CAPTURE(evaluation.failure);
  REQUIRE(evaluation.ok());
  return find_horizons(fit.residual(), problem.observations, fit.map().initial(), J);
}

double stiffness_over_truth(const FitReport& report, double frequency = 1) {
  return report.estimates.parameters[0].estimate / std::pow(2 * M_PI * frequency, 2);
}

}  // namespace

TEST_CASE("horizon schedule: it begins where 1 % of a value moves the markers by a tenth of their motion",
          "[optim][search][horizons]") {
  // x = 1 + 0.3 cos ωt moves by 0.01 · 0.3 ωt/2 |sin ωt|; its motion is 0.3/√2: the tenth is reached where
  // ωt |sin ωt| = 20/√2, first at ωt = 14.15 near the peak of |sin| at 4.5 π.
  const HorizonSchedule schedule = schedule_of(recorded_swing({.periods = 12, .frames_per_second = 200}));
  REQUIRE(!schedule.horizons.empty());
  CHECK(2 * M_PI * schedule.first == Approx(14.15).epsilon(0.005));  // a frame is 0.03
  CHECK(schedule.parameter == "stiffness");
  CHECK(schedule.recording == "swing");
  CHECK(schedule.horizons[0] == schedule.first);
  // 12 / 2.25 = 2^2.4: two ways of a factor 2.3.
  REQUIRE(schedule.horizons.size() == 2);
  CHECK(schedule.horizons[1] / schedule.horizons[0] == Approx(std::sqrt(12 / schedule.first)));
  CHECK(contains(schedule.sentence(), "the first 2.25 s, then 5.2 s, then all"));
  CHECK(contains(schedule.sentence(), "a change of stiffness by 1 % moves the markers of swing"));
  for (const SearchStage& stage : schedule.stages()) CHECK(stage.function_tolerance);
}

TEST_CASE("horizon schedule: a search that begins with early frames finds what one of the whole does not",
          "[optim][search][horizons]") {
  // Out of step by 0.16 periods where it begins, by 1.5 at the end.
  FitProblem problem = recorded_swing({.periods = 10, .noise = 2e-3, .guess = 1.35});
  const FitReport lost = fit(problem);
  CHECK(std::abs(stiffness_over_truth(lost) - 1) > 0.02);
  problem.search.choose_stages = true;
  const FitReport found = fit(problem);
  CHECK(found.search.status == MinimizerStatus::Converged);
  CHECK(stiffness_over_truth(found) == Approx(1).epsilon(0.01));  // the midpoint rule's step makes it 0.4 % too stiff
  REQUIRE(found.search.stages.size() > 1);
  for (std::size_t k = 1; k < found.search.stages.size(); ++k)
    CHECK(found.search.stages[k].horizon > found.search.stages[k - 1].horizon);
  CHECK(std::isinf(found.search.stages.back().horizon));
  REQUIRE(found.search.summary.size() == 1);
  CHECK(contains(found.search.summary[0], "the search started with the early frames"));
}

TEST_CASE("horizon schedule: a motion that hardly depends on its values has none, and costs nothing",
          "[optim][search][horizons]") {
  FitProblem problem = recorded_swing({.periods = 1.5, .noise = 2e-3, .guess = 1.2});
  CHECK(schedule_of(problem).horizons.empty());
  CHECK(schedule_of(problem).sentence().empty());
  const FitReport plain = fit(problem);
  problem.search.choose_stages = true;
  const FitReport looked = fit(problem);
  CHECK(looked.theta == plain.theta);
  CHECK(looked.search.cost_history == plain.search.cost_history);
  CHECK(looked.search.stages.size() == 1);
  CHECK(looked.search.summary.empty());
  CHECK(looked.search.evaluations.tangent == plain.search.evaluations.tangent);
  CHECK(looked.search.evaluations.forward == plain.search.evaluations.forward);
}

TEST_CASE("horizon schedule: stages, starts and other solvers leave none to be chosen", "[optim][search][horizons]") {
  FitProblem problem = recorded_swing({.periods = 10, .guess = 1.1});
  problem.search.choose_stages = true;
  REQUIRE(fit(problem).search.stages.size() > 1);
  const auto stages = [](const FitProblem& other) { return fit(other).search.stages.size(); };
  FitProblem written = problem, started = problem, many = problem, other = problem;
  written.search.stages = {{.horizon = 3}};
  CHECK(stages(written) == 2);
  CHECK(std::isinf(fit(written).search.stages[1].horizon));
  started.search.starts.count = 2;
  CHECK(stages(started) == 1);
  many.uncertainty.full_limit = 0;
  CHECK(stages(many) == 1);
  for (const std::string solver : {"gauss_newton", "lbfgs"}) {
    other.search.solver = solver;
    CHECK(stages(other) == 1);
  }
}

TEST_CASE("horizon schedule: neither the size of a body nor its clock changes it", "[optim][search][horizons]") {
  const HorizonSchedule one = schedule_of(recorded_swing({.periods = 10, .guess = 1.2}));
  REQUIRE(one.horizons.size() > 1);
  for (const double length : {1e-6, 1e3})
    for (const double frequency : {1e-4, 1.0, 1e6}) {
      const HorizonSchedule other = schedule_of(recorded_swing({.periods = 10,
                                                                .frequency = frequency,
                                                                .frames_per_second = 20 * frequency,
                                                                .guess = 1.2,
                                                                .length = length}));
      REQUIRE(other.horizons.size() == one.horizons.size());
      for (std::size_t k = 0; k < one.horizons.size(); ++k)
        CHECK(other.horizons[k] * frequency == Approx(one.horizons[k]).epsilon(1e-6));
    }
}

TEST_CASE("horizon schedule: nuisance values require none", "[optim][search][horizons]") {
  FitProblem problem = recorded_swing({.periods = 10});
  Parameter mass = test::shared("mass");
  mass.is_nuisance = true;
  problem.parameters = {mass};
  CHECK(schedule_of(problem).horizons.empty());
  problem.parameters[0].is_nuisance = false;
  CHECK_FALSE(schedule_of(problem).horizons.empty());
}

TEST_CASE("horizon schedule: what leaves too little to fit is left out", "[optim][search][horizons]") {
  FitProblem problem = recorded_swing({.periods = 10, .guess = 1.1});
  const std::vector<double> horizons = schedule_of(problem).horizons;
  REQUIRE(horizons.size() == 2);
  SECTION("a second recording that begins later") {
    problem.scenarios.push_back(problem.scenarios[0]);
    problem.scenarios[1].name = "late";
    problem.observations.push_back(problem.observations[0]);
    Observation& late = problem.observations[1];
    const auto early = std::ranges::count_if(late.times, [&](double t) { return t < 1.1 * horizons[0]; });
    late.times.erase(late.times.begin(), late.times.begin() + early);
    late.positions.erase(late.positions.begin(), late.positions.begin() + early);
    CHECK(schedule_of(problem).horizons == std::vector<double>{horizons[1]});
  }
  SECTION("markers whose rest is seen only later") {
    // Nothing moves along y but by a force that the early frames are not asked for.
    Observation& o = problem.observations[0];
    for (std::size_t f = 0; f < o.times.size(); ++f)
      if (o.times[f] < 1.1 * horizons[0] && f > 0) o.positions[f].setConstant(NAN);
    const HorizonSchedule schedule = schedule_of(problem);
    REQUIRE(!schedule.horizons.empty());  // the first frame alone tells nothing: its derivative is 0
    CHECK(schedule.horizons[0] > 1.1 * horizons[0]);
  }
  problem.search.choose_stages = true;
  CHECK(fit(problem).search.status == MinimizerStatus::Converged);
}

TEST_CASE("horizon schedule: a journal takes up a search of chosen stages", "[optim][search][horizons][journal]") {
  const std::filesystem::path whole = std::filesystem::temp_directory_path() / "pithball-test-horizon-journal.bin",
                              torn = whole.string() + ".torn";
  FitProblem problem = recorded_swing({.periods = 10, .noise = 2e-3, .guess = 1.3});
  problem.search.choose_stages = true;
  const FitReport plain = fit(problem);
  std::filesystem::remove(whole);
  const FitReport first = fit(problem, {.journal = whole.string()});
  CHECK(first.theta == plain.theta);
  REQUIRE(first.search.stages.size() > 1);
  for (const double share : {0.5, 0.9}) {
    std::filesystem::copy_file(whole, torn, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(torn, static_cast<std::uintmax_t>(share * std::filesystem::file_size(whole)));
    const FitReport resumed = fit(problem, {.journal = torn.string()});
    CHECK(resumed.theta == plain.theta);
    CHECK(resumed.search.stages.size() == plain.search.stages.size());
    CHECK(resumed.search.evaluations.tangent < first.search.evaluations.tangent);
  }
  for (const char* suffix : {"", ".torn"}) std::filesystem::remove(whole.string() + suffix);
}

TEST_CASE("known residual: answers the first request for known values, and passes all others on", "[optim][residual]") {
  const FitProblem problem = recorded_swing({.periods = 1, .guess = 1.1});
  const ResolvedFit fit(problem);
  const TrajectoryResidual& rows = fit.residual().trajectories();
  const Vector theta = fit.map().initial();
  Vector r, again;
  Eigen::MatrixXd J, other;
  REQUIRE(rows.evaluate(theta, r, &J).ok());
  FitResidual residual(problem);
  residual.set_known_point(theta, r, J);
  REQUIRE(residual.all().evaluate(theta, again, nullptr).ok());  // without a derivative it is no such question
  CHECK(again.isApprox(r, 1e-12));
  CHECK(residual.counts().forward == 1);
  REQUIRE(residual.all().evaluate(theta, again, &other).ok());
  CHECK(again == r);
  CHECK(other == J);
  CHECK(residual.counts().tangent == 0);
  REQUIRE(residual.all().evaluate(theta, again, &other).ok());
  CHECK(other == J);
  CHECK(residual.counts().tangent == 1);
  residual.set_known_point(theta, 2 * r, J);
  REQUIRE(residual.all().evaluate(theta + Vector::Constant(1, 0.1), again, &other).ok());
  CHECK(residual.counts().tangent == 2);
}
