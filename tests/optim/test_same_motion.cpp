// Several recordings of one motion: a start and a body that they share, and clocks of their own.
#include <algorithm>
#include <cmath>

#include "optim/fit.hpp"
#include "tests/optim/phone_film.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::Phone;
using test::shared;

namespace {

constexpr double true_offset = 0.021;

/// Two phones at right angles; the start is unknown, and so is the clock of the second. Of each, the first frames.
FitProblem two_phones(bool same_motion, unsigned seed, std::size_t frames = 23) {
  const diff::Scenario left = test::swinging_body("left");
  const std::vector<sim::State> states = test::states_of(left);
  diff::Scenario right = left;
  right.name = "right";
  const Phone front{}, side{.eye = {2.4, 0.3, 0.2}, .from_the_side = true, .clock_offset = true_offset};
  FitProblem problem;
  problem.observations = {test::film(states, left.time_step, front, 2 * seed),
                          test::film(states, left.time_step, side, 2 * seed + 1)};
  for (Observation& film : problem.observations) {
    film.times.resize(frames);
    film.positions.resize(frames);
  }
  for (const diff::Scenario& one : {left, right}) {
    problem.scenarios.push_back(one);
    // A start that is off by centimeters.
    problem.scenarios.back().initial.x.rightCols(3).array() += 0.02;
    problem.scenarios.back().initial.v.setZero();
  }
  Parameter stiffness = shared("stiffness", 1.2);
  stiffness.factor = true;
  problem.parameters = {stiffness};
  if (same_motion) {  // with starts of their own the clock could not be told from the start: it is then given
    Parameter clock = shared("clock_offset");
    clock.recordings = {RecordingSharing::Each, {}, {1}};
    clock.range.lower = 0;
    clock.range.upper = 0.045;
    problem.parameters.push_back(clock);
    problem.observations[1].recording_frame.clock_offset = 0.005;
  } else {
    problem.observations[1].recording_frame.clock_offset = true_offset;
  }
  for (const char* value : {"position", "velocity"}) {
    Parameter start = shared(value);
    start.entries.sharing = EntrySharing::None;
    start.entries.selected = {1, 2, 3};
    start.is_nuisance = true;
    start.recordings = {RecordingSharing::Each, {}, {0, 1}};
    if (same_motion) start.recordings = {RecordingSharing::Label, {"left+right", "left+right"}, {0, 1}};
    problem.parameters.push_back(start);
  }
  return problem;
}

/// The true value of a parameter of `two_phones`.
double truth_of(const FittedParameter& p, const sim::State& start) {
  if (p.value == "stiffness") return 1;
  if (p.value == "clock_offset") return true_offset;
  const Index particle = p.name[p.name.rfind('[') + 1] - '0', component = p.name.back() - 'x';
  return (p.value == "position" ? start.x : start.v)(component, particle);
}

}  // namespace

TEST_CASE("same motion: two phones with an unknown start and clock find stiffness, clock and start",
          "[optim][same_motion]") {
  const sim::State start = test::swinging_body("left").initial;
  int intervals = 0, covered = 0, of_stiffness = 0, of_clock = 0;
  constexpr int count = 6;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const FitReport report = fit(two_phones(true, seed));
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    REQUIRE(report.estimates.parameters.size() == 2 + 18);
    for (const FittedParameter& p : report.estimates.parameters) {
      CAPTURE(p.name, p.estimate, p.standard_error);
      CHECK(p.identifiable);
      const double truth = truth_of(p, start);
      CHECK(std::abs(p.estimate - truth) < 5 * p.standard_error);
      const bool inside = p.interval.lower <= truth && truth <= p.interval.upper;
      ++intervals;
      covered += inside;
      of_stiffness += inside && p.value == "stiffness";
      of_clock += inside && p.value == "clock_offset";
    }
  }
  // Of 120 intervals at 95 %, of which those of one fit hang together; and of six.
  CHECK(covered >= 0.88 * intervals);
  CHECK(of_stiffness >= 4);
  CHECK(of_clock >= 4);
}

TEST_CASE("same motion: a shared start halves the standard errors of separate starts", "[optim][same_motion]") {
  constexpr std::size_t frames = 12;  // of a short film, in which each start costs much
  const FitReport together = fit(two_phones(true, 1, frames)), apart = fit(two_phones(false, 1, frames));
  const auto error_of = [](const FitReport& report, const std::string& name) {
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    const auto found = std::ranges::find(report.estimates.parameters, name, &FittedParameter::name);
    REQUIRE(found != report.estimates.parameters.end());
    return found->errors.formal;
  };
  const double of_stiffness = error_of(together, "stiffness") / error_of(apart, "stiffness");
  CAPTURE(of_stiffness);
  CHECK(of_stiffness < 0.5);
  double logarithms = 0;  // of the ratios of all 18 values of the start, seen by the first phone
  for (const FittedParameter& p : together.estimates.parameters) {
    if (!p.name.starts_with("position") && !p.name.starts_with("velocity")) continue;
    std::string own = p.name;
    own.replace(own.find("left+right"), 10, "left");
    logarithms += std::log(p.errors.formal / error_of(apart, own)) / 18;
  }
  CAPTURE(std::exp(logarithms));
  CHECK(std::exp(logarithms) < 0.5);
}
