#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "optim/search/start_points.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// A mass on a spring, pulled away and let go, seen for `periods` of its swing: the cost has a minimum for every
/// stiffness that is out of step by whole periods. Stiffness 10 N/m, mass 1 kg.
FitProblem swing(double periods, double first_guess) {
  using namespace sim;
  State state;
  state.x.resize(3, 2);
  state.x << 0, 1.3, 0, 0, 0, 0;
  state.v = Points::Zero(3, 2);
  Topology topology;
  topology.particles = 2;
  topology.springs.push_back({0, 1});
  topology.held.push_back({0, {}});
  const auto model = [&](double stiffness) {
    return Model(topology, Vector::Ones(2), Vector::Zero(2),
                 {std::make_shared<SpringForce>(Vector::Constant(1, stiffness), Vector::Ones(1))});
  };
  diff::Scenario scenario{.name = "swing",
                          .model = model(10),
                          .initial = state,
                          .integrator = "imex_midpoint",
                          .time_step = 0.02,
                          .steps = static_cast<Index>(std::lround(periods * 2 * M_PI / std::sqrt(10.0) / 0.02)),
                          .stage = {}};
  FitProblem problem;
  problem.observations = {test::record(test::refined(scenario), 40, 0, 1)};
  scenario.model = model(first_guess);
  problem.scenarios = {scenario};
  problem.parameters = {shared("stiffness")};
  return problem;
}

double stiffness_of(const FitReport& report) { return report.estimates.parameters[0].estimate; }

}  // namespace

TEST_CASE("start_points: a Latin hypercube between bounds or about the start, the same for the same seed",
          "[optim][search]") {
  Parameter stiffness = shared("stiffness", 8.0), charge = shared("charge");
  stiffness.range.lower = 2;
  stiffness.range.upper = 32;
  const ParameterMap map({make_body("a")}, {charge, stiffness});
  const std::vector<Vector> points = make_start_points(map, {.count = 9, .factor = 5, .seed = 7});
  REQUIRE(points.size() == 9);
  CHECK(points[0] == map.initial());
  std::set<int> parts_of_stiffness, parts_of_charge;
  for (std::size_t n = 1; n < 9; ++n) {
    const Vector p = map.physical(points[n]);
    // Each of eight equal parts of the logarithm holds one point.
    parts_of_stiffness.insert(static_cast<int>(8 * std::log(p[1] / 2) / std::log(16.0)));
    const double start = map.info()[0].initial;
    parts_of_charge.insert(static_cast<int>(8 * std::log(p[0] / (start / 5)) / std::log(25.0)));
  }
  const std::set<int> all = {0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(parts_of_stiffness == all);
  CHECK(parts_of_charge == all);
  CHECK(make_start_points(map, {.count = 9, .factor = 5, .seed = 7}) == points);
  CHECK(make_start_points(map, {.count = 9, .factor = 5, .seed = 8}) != points);
  for (const Index count : {Index{0}, Index{100001}, Index{1} << 62})
    CHECK_THROWS_WITH(make_start_points(map, {.count = count}), Catch::Contains("starts.count"));
  CHECK_THROWS_WITH(make_start_points(map, {.count = 2, .factor = 1}), Catch::Contains("starts.factor"));
  const ParameterMap still({make_body("a")}, {shared("linear_drag")});
  CHECK_THROWS_WITH(make_start_points(still, {.count = 2}), Catch::Contains("write `bounds: [lower, upper]`"));
  CHECK_THROWS_WITH(make_start_points(still, {.count = 2}, Vector::Constant(1, INFINITY)),
                    Catch::Contains("write `bounds: [lower, upper]`"));  // without effect
}

TEST_CASE("start_points: what starts at 0 is drawn as far as the recordings show, at any scale of them",
          "[optim][search]") {
  diff::Scenario ball = make_body("a", {.gravity = true});
  for (const double scale : {1.0, 1e-6, 1e3}) {
    Observation seen = test::record(ball, 5, 1e-3, 1);
    for (sim::Points& x : seen.positions) x *= scale;
    seen.noise.sigma *= scale;
    Parameter gravity = shared("gravity"), place = shared("placement_translation");
    gravity.entries.components = "xy";  // start at 0, as do all of the placement
    const ParameterMap map({ball}, {gravity, place});
    const TrajectoryResidual residual(map, {seen});
    const Vector ranges = recorded_ranges(residual, {seen}, map.initial());
    REQUIRE(ranges.size() == 5);
    // A translation moves every marker by itself: its range is the spread of the recording and its misfit together.
    double square = 0;
    sim::Vec3 mean = sim::Vec3::Zero();
    const auto count = static_cast<double>(seen.times.size() * seen.markers.size());
    for (const sim::Points& x : seen.positions) mean += x.rowwise().sum() / count;
    for (const sim::Points& x : seen.positions) square += (x.colwise() - mean).squaredNorm();
    Vector r;
    REQUIRE(residual.evaluate(map.initial(), r, nullptr).ok());
    square += r.squaredNorm() * seen.noise.sigma[0] * seen.noise.sigma[0];
    for (Index k = 2; k < 5; ++k)
      CHECK(map.info()[k].transform.value(ranges[k]) == Approx(std::sqrt(square / count)).epsilon(1e-9));
    const std::vector<Vector> points = make_start_points(map, {.count = 9, .seed = 7}, ranges);
    for (Index k = 0; k < 5; ++k) {
      std::set<int> parts;
      for (std::size_t n = 1; n < 9; ++n) parts.insert(static_cast<int>(std::floor(4 + 4 * points[n][k] / ranges[k])));
      CHECK(parts == std::set<int>{0, 1, 2, 3, 4, 5, 6, 7});
    }
  }
}

TEST_CASE("start_points: rotations are uniform over all rotations, and every part of each number holds one",
          "[optim][search]") {
  Parameter turned = shared("placement_rotation");
  const ParameterMap map({make_body("a")}, {turned});
  REQUIRE(map.size() == 3);
  const Index count = 4001;
  const std::vector<Vector> points = make_start_points(map, {.count = count, .seed = 5});
  CHECK(points[0] == map.initial());
  // Of uniform rotations E[R] = 0 and E[R_ij²] = 1/3; the angle has the density (1 − cos φ)/π, so E[cos φ] = −1/2.
  sim::Mat3 mean = sim::Mat3::Zero(), square = sim::Mat3::Zero();
  double cosine = 0;
  for (Index n = 1; n < count; ++n) {
    RecordingFrame frame;
    frame.rotation = map.physical(points[n]);
    CHECK(frame.rotation.norm() <= M_PI * (1 + 1e-12));
    const sim::Mat3 R = frame.rotation_matrix();
    mean += R / (count - 1);
    square += R.cwiseAbs2() / (count - 1);
    cosine += std::cos(frame.rotation.norm()) / (count - 1);
  }
  const double error = 1 / std::sqrt(3.0 * (count - 1));  // of an entry of the mean, if drawn independently
  CHECK(mean.cwiseAbs().maxCoeff() < 4 * error);
  CHECK((square.array() - 1.0 / 3).abs().maxCoeff() < 4 * error);
  CHECK(std::abs(cosine + 0.5) < 4 * error);
  // One number alone, in a plane: any angle.
  turned.entries.components = "z";
  const ParameterMap flat({make_body("a")}, {turned});
  const std::vector<Vector> angles = make_start_points(flat, {.count = 9, .seed = 5});
  std::set<int> parts;
  for (std::size_t n = 1; n < 9; ++n)
    parts.insert(static_cast<int>(std::floor(4 + 4 * flat.physical(angles[n])[0] / M_PI)));
  CHECK(parts == std::set<int>{0, 1, 2, 3, 4, 5, 6, 7});
  // With a translation, about the middle of the body: what was seen of it there stays in its place but for the
  // translation that is drawn.
  const diff::Scenario body = make_body("a");
  const sim::Vec3 middle = body.initial.x.rowwise().mean();
  RecordingFrame at;
  at.rotation = sim::Vec3(M_PI / 2, 0, 0);
  at.translation = sim::Vec3(0, -1.5, -0.25);
  Parameter place = shared("placement_translation");
  turned.entries.components = "";
  const ParameterMap camera({body}, {turned, place}, {at});
  const sim::Vec3 seen = at.rotation_matrix().transpose() * (middle - at.translation);
  Vector ranges = Vector::Constant(6, 1e-6 / camera.info()[3].transform.scale());
  const std::vector<Vector> orbit = make_start_points(camera, {.count = 40, .factor = 1 + 1e-9}, ranges);
  double farthest = 0;
  for (std::size_t n = 1; n < orbit.size(); ++n) {
    const RecordingFrame frame = camera.recording_frame(orbit[n], 0);
    CHECK((frame.to_model(seen) - middle).norm() < 1e-5);
    farthest = std::max(farthest, (frame.translation - at.translation).norm());
  }
  CHECK(farthest > 2 * (middle - at.translation).norm() * 0.9);  // it goes round it
  // Bounds go before.
  turned.range.lower = -0.1;
  turned.range.upper = 0.1;
  const ParameterMap bounded({make_body("a")}, {turned});
  for (const Vector& theta : make_start_points(bounded, {.count = 9}))
    CHECK(bounded.physical(theta).cwiseAbs().maxCoeff() <= 0.1);
}

TEST_CASE("search: a growing horizon follows a swing that is out of step at once", "[optim][search]") {
  for (const std::string& solver : minimizers().names()) {
    INFO(solver);
    FitProblem problem = swing(8, 14);  // out by 8 (√1.4 − 1) = 1.5 periods at the end
    problem.search.solver = solver;
    problem.search.weak_form_start = false;  // it would find the stiffness without a search
    const FitReport lost = fit(problem);
    CHECK(std::abs(stiffness_of(lost) / 10 - 1) > 0.02);
    problem.search.stages = {{.horizon = 2}, {.horizon = 6}};
    const FitReport grown = fit(problem);
    CHECK(grown.search.status == MinimizerStatus::Converged);
    // The midpoint rule makes k too large by ω²h²/6 = 0.07 %.
    CHECK(stiffness_of(grown) == Approx(10).epsilon(2e-3));
    REQUIRE(grown.search.stages.size() == 3);
    CHECK(grown.search.stages[0].minima.size() == 1);
    CHECK(std::isinf(grown.search.stages.back().horizon));
    CHECK(grown.search.cost_history.back() == grown.search.stages.back().minima[0].cost);
  }
}

TEST_CASE("search: of many starts, screened cheaply, the best few find the minimum and all are reported",
          "[optim][search]") {
  FitProblem problem = swing(8, 14);
  problem.search.starts = {.count = 16, .factor = 4, .seed = 3};
  // Coarse and without derivatives first; then three starts to the end.
  problem.search.stages = {{.integrator = "imex_euler", .time_step = 0.04, .max_iterations = 0, .keep = 6},
                           {.horizon = 6, .keep = 3}};
  problem.search.stages[0].horizon = 3;
  const FitReport report = fit(problem);
  CHECK(report.search.status == MinimizerStatus::Converged);
  CHECK(stiffness_of(report) == Approx(10).epsilon(2e-3));
  REQUIRE(report.search.stages.size() == 3);
  CHECK(report.search.stages[0].minima.size() == 16);
  CHECK(report.search.stages[1].minima.size() == 6);
  CHECK(report.search.stages[2].minima.size() <= 3);
  for (const FitStage& stage : report.search.stages)
    for (std::size_t k = 1; k < stage.minima.size(); ++k) CHECK(stage.minima[k].cost >= stage.minima[k - 1].cost);
  std::set<Index> starts;
  for (const FitMinimum& minimum : report.search.stages[0].minima) {
    starts.insert(minimum.start);
    CHECK(minimum.iterations == 0);
  }
  CHECK(starts.size() == 16);
  const FitReport again = fit(problem);
  CHECK(again.theta == report.theta);
  CHECK(again.search.evaluations.forward == report.search.evaluations.forward);
}

TEST_CASE("search: its journal takes up any stage of a killed search", "[optim][search][journal]") {
  const std::filesystem::path whole = std::filesystem::temp_directory_path() / "pithball-test-search-journal.bin",
                              torn = whole.string() + ".torn";
  FitProblem problem = swing(6, 13);
  problem.search.starts = {.count = 3, .factor = 1.5, .seed = 1};
  problem.search.stages = {{.horizon = 2, .keep = 2}};
  problem.uncertainty.full_limit = 0;
  const FitReport plain = fit(problem);
  std::filesystem::remove(whole);
  const FitReport first = fit(problem, {.journal = whole.string()});
  CHECK(first.theta == plain.theta);
  for (const double share : {0.2, 0.9}) {
    std::filesystem::copy_file(whole, torn, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(torn, static_cast<std::uintmax_t>(share * std::filesystem::file_size(whole)));
    const FitReport resumed = fit(problem, {.journal = torn.string()});
    CHECK(resumed.theta == plain.theta);
    CHECK(resumed.search.cost_history == plain.search.cost_history);
    CHECK(resumed.search.evaluations.tangent > 0);
    CHECK(resumed.search.evaluations.tangent < first.search.evaluations.tangent);
  }
  for (const char* suffix : {"", ".torn"}) std::filesystem::remove(whole.string() + suffix);
}

TEST_CASE("search: a request to stop keeps the best point of the stage under way", "[optim][search]") {
  FitProblem problem = swing(6, 13);
  problem.search.stages = {{.horizon = 2}};
  std::atomic<bool> stop{false};
  const auto show = [&](const IterationReport& it) { stop = it.iteration == 1; };
  const FitReport report = fit(problem, {.minimizer = {show, &stop}});
  CHECK(report.search.status == MinimizerStatus::Stopped);
  REQUIRE(report.search.stages.size() == 1);
  CHECK(report.search.stages[0].minima[0].iterations == 1);
}

TEST_CASE("search: stages that leave nothing to fit are rejected before anything runs", "[optim][search][error]") {
  FitProblem problem = swing(2, 13);
  problem.search.stages = {{.horizon = 1}, {.horizon = 1e-9}};
  problem.observations[0].times.erase(problem.observations[0].times.begin());
  problem.observations[0].positions.erase(problem.observations[0].positions.begin());
  CHECK_THROWS_WITH(check(problem), Catch::Contains("stages[1]: must leave a problem that can be fitted"));
  problem.search.stages = {{.keep = 0}};
  CHECK_THROWS_WITH(check(problem), Catch::Contains("stages[0].keep: must be >= 1"));
}
