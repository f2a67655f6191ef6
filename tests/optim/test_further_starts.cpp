#include "optim/fit/further_starts.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "optim/fit.hpp"
#include "optim/fit/depth_reversal.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/notes.hpp"
#include "tests/optim/phone_film.hpp"
#include "tests/optim/swing.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::contains;
using test::recorded_swing;

namespace {

/// A swing of one oscillation a second, seen so seldom that it goes to and fro between two frames.
FitProblem seldom_seen(double frames_per_second, double guess, double length = 1) {
  return recorded_swing(
      {.periods = 12, .frames_per_second = frames_per_second, .noise = 0.01, .guess = guess, .length = length});
}

double true_stiffness() { return std::pow(2 * M_PI, 2); }

bool says(const FitReport& report, const std::string& words) {
  return std::ranges::any_of(report.search.summary, [&](const std::string& one) { return contains(one, words); });
}

double found_over_truth(const FitReport& report) {
  return report.estimates.parameters.front().estimate / true_stiffness();
}

}  // namespace

TEST_CASE("further starts: a search that ends out of step is led to the right minimum", "[optim][fit][starts]") {
  int helped = 0;
  for (const auto& [length, guess] : {std::pair(1.0, 0.4), {1.0, 2.5}, {1e-3, 0.6}, {1e3, 1.5}}) {
    INFO("length " << length << ", guess " << guess);
    FitProblem problem = seldom_seen(20, guess, length);
    problem.search.choose_stages = true;
    const FitReport without = fit(problem);
    problem.search.further_starts = true;
    const FitReport report = fit(problem);
    CHECK(std::abs(found_over_truth(report) - 1) < 0.01);
    CHECK(report.goodness.quality.fits());
    if (std::abs(found_over_truth(without) - 1) < 0.01) continue;
    ++helped;
    CHECK(without.verdict.grade() != Grade::Good);
    CHECK(says(report, "further starts"));
    CHECK(report.search.searches() > 1);  // the earlier end is kept
    CHECK_FALSE(report.search.stages.back().minima.front().parameters.empty());
  }
  CHECK(helped > 0);
}

TEST_CASE("further starts: a fit that fits at once costs nothing more", "[optim][fit][starts]") {
  FitProblem problem = seldom_seen(20, 1.02);
  const FitReport before = fit(problem);
  problem.search.further_starts = true;
  const FitReport report = fit(problem);
  CHECK(report.goodness.quality.fits());
  CHECK(report.search.evaluations.forward == before.search.evaluations.forward);
  CHECK(report.search.evaluations.tangent == before.search.evaluations.tangent);
  CHECK(report.search.searches() == 1);
  CHECK_FALSE(says(report, "further starts"));
}

TEST_CASE("further starts: they cost no more than the first search", "[optim][fit][starts]") {
  FitProblem problem = seldom_seen(20, 2.5);
  problem.search.choose_stages = true;
  const ResolvedFit resolved(problem);
  const SearchReport first = search(resolved);
  FitOptimum optimum;
  optimum.search = first;
  optimum.end.theta = first.best.theta;
  optimum.end.evaluations = first.evaluations;
  Vector r;
  REQUIRE(resolved.residual().trajectories().evaluate(first.best.theta, r, nullptr).ok());
  const FurtherSearch further = search_further({resolved, optimum, r, {}}, {true, "a test", 0}, {});
  CHECK_FALSE(further.ends.empty());
  // The last search ends after the iteration in which it exceeds the budget.
  CHECK(runs_of(further.evaluations, 1) <= runs_of(first.evaluations, 1) + 2 * 3);
}

TEST_CASE("further starts: the frequency of the elastic motion is not that of an alias", "[optim][fit][starts]") {
  for (const double frames_per_second : {20.0, 1.7, 0.9}) {
    INFO(frames_per_second << " frames a second");
    const ResolvedFit resolved(seldom_seen(frames_per_second, 1));
    EvaluationCounts counts;
    const FrequencyScaling scaling = find_frequency_scaling(resolved.map());
    CHECK(scaling.names == "stiffness");
    const double f = find_elastic_frequency(resolved, scaling, resolved.map().initial(), counts);
    CHECK(std::abs(f - 1) < 0.02);
    CHECK(runs_of(counts, 1) <= 3);
    const Vector faster = scaling.scaled(resolved.map(), resolved.map().initial(), 1.5);
    CHECK(resolved.map().physical(faster)[0] == Approx(2.25 * resolved.map().physical(resolved.map().initial())[0]));
  }
}

TEST_CASE("motion aliases: frames farther apart than half a period leave others open", "[optim][fit][starts]") {
  FitProblem problem = seldom_seen(0.9, 1);
  const FitReport seldom = fit(problem);
  CHECK(contains(seldom.verdict.why,
                 "aliases cannot be excluded: the fitted motion oscillates 1 times a second and "
                 "frames are taken 0.9 times a second"));
  CHECK(seldom.verdict.grade() == Grade::Doubtful);
  SECTION("a recording at another rate decides") {
    const FitProblem other = seldom_seen(0.7, 1);
    problem.scenarios.push_back(other.scenarios[0]);
    problem.scenarios.back().name = "other";
    problem.observations.push_back(other.observations[0]);
    CHECK_FALSE(contains(fit(problem).verdict.why, "aliases"));
  }
  SECTION("frames at uneven times decide") {
    Observation& o = problem.observations[0];
    for (std::size_t f = 3; f < o.times.size(); f += 4) {
      o.times.erase(o.times.begin() + static_cast<std::ptrdiff_t>(f));
      o.positions.erase(o.positions.begin() + static_cast<std::ptrdiff_t>(f));
    }
    CHECK(contains(fit(problem).verdict.why, "aliases"));  // lost frames alone do not
    const FitProblem often = seldom_seen(9, 1);
    o = often.observations[0];
    std::size_t kept = 0;
    for (std::size_t f = 0; f < o.times.size(); f += 10 + kept % 3) {
      o.times[kept] = o.times[f];
      o.positions[kept++] = o.positions[f];
    }
    o.times.resize(kept);
    o.positions.resize(kept);
    problem.scenarios = often.scenarios;
    CHECK_FALSE(contains(fit(problem).verdict.why, "aliases"));
  }
}

TEST_CASE("motion aliases: no alarm about frames that are near enough, or a motion without periods",
          "[optim][fit][starts]") {
  CHECK_FALSE(contains(fit(seldom_seen(2.5, 1)).verdict.why, "aliases"));
  // Half a period in three frames.
  CHECK_FALSE(
      contains(fit(recorded_swing({.periods = 0.5, .frames_per_second = 4, .noise = 0.01})).verdict.why, "aliases"));
}

TEST_CASE("further starts: aliases of the first estimate are compared", "[optim][fit][starts]") {
  // 1.9 instead of 1 oscillations a second look the same at 0.9 frames a second.
  const ResolvedFit resolved(seldom_seen(0.9, 1.9 * 1.9));
  FitOptimum optimum;
  optimum.search = search(resolved);
  optimum.search.evaluations.tangent += 100;  // a search that was not at its end at once
  optimum.end.theta = optimum.search.best.theta;
  Vector r;
  REQUIRE(resolved.residual().trajectories().evaluate(optimum.end.theta, r, nullptr).ok());
  const MotionAliases aliases{1.9, 1 / 0.9};
  REQUIRE(aliases.are_possible());
  const FurtherSearch further = search_further({resolved, optimum, r, aliases, false}, {false, "a test", 0}, {});
  CHECK(std::ranges::any_of(further.ends, [&](const FoundMinimum& end) {
    return std::abs(resolved.map().physical(end.found.theta)[0] / true_stiffness() - 1) < 0.01;
  }));
}

TEST_CASE("a better point that a profile finds is continued from", "[optim][fit][starts]") {
  int continued = 0;
  for (const double guess : {0.4, 0.6, 1.5, 2.5}) {
    INFO("guess " << guess);
    FitProblem problem = recorded_swing({.periods = 6, .noise = 0.01, .guess = guess});
    problem.uncertainty.profiles = {"stiffness"};
    const FitReport report = fit(problem);
    if (!says(report, "the profile of stiffness found a better point")) continue;
    ++continued;
    const std::vector<FitMinimum>& minima = report.search.stages.back().minima;
    REQUIRE(minima.size() > 1);
    CHECK(minima.front().cost < minima.back().cost);
    CHECK(std::ranges::find(minima, Index{0}, &FitMinimum::start)->cost > minima.front().cost);  // the earlier end
    CHECK(report.estimates.parameters.front().estimate ==
          Approx(minima.front().parameters.front().second).epsilon(1e-6));
  }
  CHECK(continued > 0);
}

TEST_CASE("a better point that a fit to a resampled recording comes to is continued from", "[optim][fit][starts]") {
  // A search that ends as soon as a step lowers the cost by less than a half is short of the minimum.
  FitProblem problem = recorded_swing({.periods = 6, .noise = 0.01, .guess = 1.1});
  problem.search.minimizer.function_tolerance = 0.5;
  const FitReport early = fit(problem);
  REQUIRE(early.search.status == MinimizerStatus::Converged);
  problem.uncertainty.interval = IntervalMethod::Bootstrap;
  int diagnoses = 0;
  problem.wider_models = [&](const FitProblem& one) {
    ++diagnoses;
    return std::vector<sim::Model>{one.scenarios[0].model};
  };
  const FitReport report = fit(problem);
  CHECK(diagnoses == 1);  // of the last optimum only
  CHECK(says(report, "a fit to a resampled recording found a better point"));
  const auto miss = [](const FitReport& one) { return std::abs(found_over_truth(one) - 1); };
  REQUIRE(miss(early) > 1e-3);
  CHECK(miss(report) < 0.5 * miss(early));
  const std::vector<FitMinimum>& minima = report.search.stages.back().minima;
  REQUIRE(minima.size() > 1);
  CHECK(minima.front().cost < minima.back().cost);
}

namespace {

/// A swing recorded at steps eight times shorter than those of the fit.
FitProblem swing_in_long_steps(double guess) {
  FitProblem problem = recorded_swing({.periods = 6, .noise = 0.01, .guess = guess});
  for (diff::Scenario& scenario : problem.scenarios) {
    scenario.time_step *= 8;
    scenario.steps = (scenario.steps + 7) / 8;
  }
  return problem;
}

const char* const found_at_half_step = "the fit at half the time step found another minimum";

}  // namespace

TEST_CASE("a better minimum that the fit at half the time step leads to is continued from", "[optim][fit][starts]") {
  FitProblem problem = swing_in_long_steps(0.9);
  problem.search.minimizer.function_tolerance = 0.5;  // ends far from its minimum, as in the test above
  const FitAtBothSteps found = fit_at_both_steps(ResolvedFit(problem));
  REQUIRE(found.halved);
  CHECK(says(found.report, found_at_half_step));
  const std::vector<FitMinimum>& minima = found.report.search.stages.back().minima;
  REQUIRE(minima.size() > 1);
  CHECK(std::ranges::find(minima, Index{0}, &FitMinimum::start)->cost > 2 * minima.front().cost);
}

TEST_CASE("the same minimum, found again from the fit at half the time step, is no better one",
          "[optim][fit][starts]") {
  const FitAtBothSteps found = fit_at_both_steps(ResolvedFit(swing_in_long_steps(2)));
  REQUIRE(found.halved);
  CHECK(found.halved->another_minimum);
  CHECK_FALSE(says(found.report, found_at_half_step));
}

namespace {

/// A camera in front of the body, at this distance and from above by this angle, with an image of one size.
struct DepthView {
  double distance = 2.5, tilt = 0.4;
  bool orthographic = false;
  bool has_free_pose = true, asks_for_pose = false;
  Index pins = 2;
};

RecordingFrame frame_of(const DepthView& view) {
  using sim::Vec3;
  sim::Mat3 axes;
  axes.col(2) = Vec3(0, std::cos(view.tilt), -std::sin(view.tilt));
  axes.col(0) = Vec3::UnitX();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  const Eigen::AngleAxisd turn(axes);
  RecordingFrame frame;
  frame.rotation = turn.angle() * turn.axis();
  frame.translation = Vec3(0.4, 0.3, 0.1) - view.distance * axes.col(2);
  frame.set_own("focal_length", 500 * view.distance);
  frame.set_own("image_scale", 500);
  return frame;
}

void free_start(FitProblem& problem, Index pins) {
  for (const char* value : {"position", "velocity"}) {
    Parameter& start = problem.parameters.emplace_back(test::shared(value));
    start.entries.sharing = EntrySharing::None;
    for (Index i = pins; i < 4; ++i) start.entries.selected.push_back(i);
    start.recordings.sharing = RecordingSharing::Each;
    start.is_nuisance = true;
  }
}

/// A body that hangs from one particle or two, with which rotations about the vertical move it in the film.
diff::Scenario hung_body(Index pins) {
  return test::make_body("film", {.gravity = true, .pinned = pins, .time_step = 0.01, .steps = 60});
}

/// The fit of stiffness, start and pose to a film; everything begins at the truth.
FitProblem filmed_body(const DepthView& view, unsigned seed, double noise = test::pixel_noise) {
  const diff::Scenario body = hung_body(view.pins);
  FitProblem problem;
  problem.scenarios = {body};
  Observation& film = problem.observations.emplace_back();
  film.instrument = make_camera_instrument({.orthographic = view.orthographic});
  film.recording_frame = frame_of(view);
  film.noise.sigma = Vector::Constant(4, test::pixel_noise);
  for (Index i = 0; i < 4; ++i) film.markers.push_back({std::to_string(i), {{i, 1.0}}});
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const std::vector<sim::State> states = test::states_of(body);
  for (std::size_t n = 0; n < states.size(); n += 3) {
    film.times.push_back(body.time_step * static_cast<double>(n));
    Points& pixels = film.positions.emplace_back(Points::Constant(3, 4, NAN));
    for (Index i = 0; i < 4; ++i) {
      const Points place = states[n].x.col(i);
      Vec3 pixel;
      REQUIRE_FALSE(film.instrument->read({0, place, Viewpoint(film.recording_frame), body.model}, pixel, nullptr));
      for (int a = 0; a < 2; ++a) pixels(a, i) = pixel[a] + noise * normal(random);
    }
  }
  problem.parameters = {test::shared("stiffness")};
  problem.parameters.back().factor = true;
  free_start(problem, view.pins);
  for (const char* value : {"placement_rotation", "placement_translation"}) {
    if (!view.has_free_pose) continue;
    problem.parameters.push_back(test::shared(value));
    problem.parameters.back().is_nuisance = !view.asks_for_pose;
  }
  problem.search.further_starts = true;
  return problem;
}

/// |r| at θ and with its depth reversed.
std::pair<double, double> lengths_at_truth(const DepthView& view) {
  const ResolvedFit fit(filmed_body(view, 1, 0));
  const Vector theta = fit.map().initial();
  const std::vector<FurtherStart> reversed = find_depth_reversals(fit, theta);
  REQUIRE(reversed.size() == 1);
  CHECK((reversed.front().theta - theta).norm() > 0.1);
  Vector r, other;
  REQUIRE(fit.residual().trajectories().evaluate(theta, r, nullptr).ok());
  REQUIRE(fit.residual().trajectories().evaluate(reversed.front().theta, other, nullptr).ok());
  return {r.norm(), other.norm()};
}

/// The same fit begun at the truth with depth reversed.
FitProblem begun_reversed(const DepthView& view, unsigned seed) {
  FitProblem problem = filmed_body(view, seed);
  const ResolvedFit fit(problem);
  const Vector theta = find_depth_reversals(fit, fit.map().initial()).front().theta;
  problem.scenarios = fit.map().scatter(theta);
  problem.observations[0].recording_frame = fit.map().recording_frame(theta, 0);
  return problem;
}

}  // namespace

TEST_CASE("depth reversal: without perspective a camera sees the reversed motion as before", "[optim][fit][starts]") {
  for (const DepthView& view :
       {DepthView{.tilt = 0.4, .orthographic = true}, DepthView{.tilt = 0, .orthographic = true},
        DepthView{.tilt = 0, .orthographic = true, .has_free_pose = false, .pins = 1}}) {
    CAPTURE(view.tilt, view.has_free_pose);
    const auto [length, reversed] = lengths_at_truth(view);
    CHECK(length < 1e-6);
    CHECK(reversed < 1e-4);
  }
  // Gravity, or perspective, tells them apart.
  CHECK(lengths_at_truth({.tilt = 0.4, .orthographic = true, .has_free_pose = false, .pins = 1}).second > 10);
  const double near = lengths_at_truth({.distance = 2.5}).second, far = lengths_at_truth({.distance = 250}).second;
  CHECK(near > 10);
  CHECK(far < 0.05 * near);
}

TEST_CASE("depth reversal: none where depth or the start is known", "[optim][fit][starts]") {
  const auto reversals_of = [](FitProblem problem) {
    const ResolvedFit fit(std::move(problem));
    return find_depth_reversals(fit, fit.map().initial()).size();
  };
  FitProblem film = filmed_body({}, 1);
  REQUIRE(reversals_of(film) == 1);
  FitProblem known = film;
  std::erase_if(known.parameters, [](const Parameter& p) { return p.value == "position"; });
  CHECK(reversals_of(known) == 0);
  FitProblem points = film;
  points.observations[0] = test::record(points.scenarios[0], 3, 1e-3, 1);
  std::erase_if(points.parameters, [](const Parameter& p) { return p.value.starts_with("placement"); });
  CHECK(reversals_of(points) == 0);
  for (const bool has_free_poses : {true, false}) {  // two cameras of one motion
    FitProblem two = filmed_body({.has_free_pose = has_free_poses}, 1);
    two.scenarios.push_back(two.scenarios[0]);
    two.scenarios.back().name = "other";
    two.observations.push_back(two.observations[0]);
    two.observations.back().recording_frame = frame_of({.tilt = 1});
    for (Parameter& p : two.parameters) {
      p.recordings.sharing = p.value.starts_with("placement") ? RecordingSharing::Each : RecordingSharing::All;
    }
    CHECK(reversals_of(two) == (has_free_poses ? 1 : 0));
  }
}

TEST_CASE("depth reversal: a fit that ends in it is led to the right motion", "[optim][fit][starts]") {
  int helped = 0;
  for (const double distance : {6.0, 12.0}) {
    CAPTURE(distance);
    FitProblem problem = begun_reversed({.distance = distance}, 1);
    const FitReport report = fit(problem);
    problem.search.further_starts = false;
    const FitReport without = fit(problem);
    const FittedParameter& found = report.estimates.parameters.front();
    CHECK(std::abs(found.estimate - 1) < 4 * found.standard_error);
    CHECK(report.verdict.status == RunStatus::Converged);
    INFO(found.estimate << " " << without.estimates.parameters.front().estimate << " ± " << found.standard_error << ", "
                        << report.search.cost_history.back() << " " << without.search.cost_history.back());
    if (without.search.cost_history.back() < 1.02 * report.search.cost_history.back()) continue;
    ++helped;
    CHECK(says(report, "reversed"));
  }
  CHECK(helped > 0);
}

TEST_CASE("depth reversal: what fits as well is not unique, what does not leaves no word", "[optim][fit][starts]") {
  const FitReport far = fit(filmed_body({.distance = 1000, .asks_for_pose = true}, 1));
  INFO(far.verdict.why);
  CHECK(far.verdict.status == RunStatus::NotUnique);
  CHECK(contains(far.verdict.why, "depth reversed"));
  CHECK(contains(far.verdict.remedy, "second camera"));
  REQUIRE(far.estimates.alternatives.size() == 1);
  // The stiffness is the same in both, and nobody asked for the pose.
  CHECK(fit(filmed_body({.distance = 1000}, 1)).verdict.status == RunStatus::Converged);
  const FitReport near = fit(filmed_body({.asks_for_pose = true}, 1));
  CHECK(near.verdict.status == RunStatus::Converged);
  CHECK_FALSE(says(near, "began with"));
  CHECK(near.estimates.alternatives.empty());
}
