// Where touches with obstacles begin and end within a step, and steps that end there.
#include "sim/integrator/embedded_runge_kutta.hpp"

#include <cmath>
#include <numbers>

#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

std::shared_ptr<ObstaclePenalty> stiff_floor(Index n, double k) {
  return std::make_shared<ObstaclePenalty>(
      "plane_penalty", std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3::UnitZ()), all(n, 0), k);
}
std::shared_ptr<ObstaclePenalty> stiff_ball(double radius, const Vec3& center) {
  return std::make_shared<ObstaclePenalty>(
      "sphere_penalty", std::make_shared<SphereObstacle>("ball", center, radius, Side::Outside), all(1, 0), 5e4);
}
Model dropped(Index n, Terms terms) {
  terms.push_back(std::make_shared<Gravity>(Vec3(0, 0, -9.81)));
  return Model({.particles = n, .springs = {}, .held = {}}, all(n, 0.1), all(n, 0), terms);
}
IntegratorChoice embedded(const std::string& name, bool split, double tolerance = 1e-7) {
  MapSettings settings(0, {{"tolerance", tolerance}, {"split_at_touches", split}});
  return {name, settings};
}

/// Without forces: where a touch changes in a flight of h [s].
std::optional<double> change_in_flight(const Model& model, const State& s, double h, TouchChanges& changes) {
  const auto at = [&](double part) { return State{s.t + part, s.x + part * s.v, s.v}; };
  return changes.find_next(model, {s, at(h), h, at});
}

/// Height of a ball that fell from 1 m at rest on an elastic floor, after it has left it: half a sine in contact.
double height_after_bounce(double k, double time) {
  const double m = 0.1, fall = std::sqrt(2 / 9.81), v = 9.81 * fall, w = std::sqrt(k / m), rest = m * 9.81 / k;
  const double contact = (2 * std::numbers::pi - 2 * std::atan2(v / w, rest)) / w, t = time - fall - contact;
  return v * t - 9.81 / 2 * t * t;
}

}  // namespace

TEST_CASE("touch changes: the time of a touch is found to rounding, whatever the scale", "[sim][integrator]") {
  for (const double length : {1e-9, 1.0, 1e6})
    for (const double h : {1e-12, 1.0, 1e5}) {
      const Model model = dropped(1, {stiff_floor(1, 1)});
      const State s{2 * h, Points(Vec3(0, 0, 0.3 * length)), Points(Vec3(length, 0, -length) / h)};
      TouchChanges changes;
      const auto found = change_in_flight(model, s, h, changes);
      REQUIRE(found);
      CHECK(std::abs(*found - 0.3 * h) < 1e-15 * h);
      const Points there = s.x + *found * s.v;
      CHECK(there(2, 0) < 0);  // it touches at the end
      CHECK(!change_in_flight(model, s, 0.29 * h, changes));
    }
}

TEST_CASE("touch changes: a touch that begins and ends within a step is found at its beginning", "[sim][integrator]") {
  const double depth = 0.02, half = std::sqrt(0.5 * 0.5 - (0.5 - depth) * (0.5 - depth));
  const Model model = dropped(1, {stiff_ball(0.5, Vec3(0, 0, -0.5))});
  const State s{0, Points(Vec3(-1, 0, -depth)), Points(Vec3(2, 0, 0))};
  TouchChanges changes;
  const auto first = change_in_flight(model, s, 1, changes);
  REQUIRE(first);
  CHECK(*first == Approx((1 - half) / 2).epsilon(1e-13));
  const State there{*first, s.x + *first * s.v, s.v};
  const auto second = change_in_flight(model, there, 1 - *first, changes);
  REQUIRE(second);
  CHECK(*second == Approx(half).epsilon(1e-13));
}

TEST_CASE("touch changes: touches that change at the same time are one change, others in the order of time",
          "[sim][integrator]") {
  const Model model = dropped(3, {stiff_floor(3, 1)});
  State s{0, columns({{0, 0, 0.5}, {1, 0, 0.25}, {2, 0, 0.25}}), columns({{0, 0, -1}, {0, 0, -1}, {0, 0, -1}})};
  TouchChanges changes;
  const auto first = change_in_flight(model, s, 1, changes);
  REQUIRE(first);
  CHECK(*first == Approx(0.25).epsilon(1e-15));
  s.x += *first * s.v;
  CHECK((s.x.row(2).array() < 0).count() == 2);
  const auto second = change_in_flight(model, s, 0.75, changes);
  REQUIRE(second);
  CHECK(*second == Approx(0.25).epsilon(1e-14));
  s.x += *second * s.v;
  CHECK(!change_in_flight(model, s, 0.5, changes));
}

TEST_CASE("touch changes: a touch that changes again and again within a step is too much", "[sim][integrator]") {
  const Model model = dropped(1, {stiff_floor(1, 1)});
  TouchChanges changes;
  State s{0, Points(Vec3(0, 0, 0.5)), Points(Vec3(0, 0, -1))};
  for (int change = 0; change < TouchChanges::most_of_a_gap; ++change) {
    REQUIRE(change_in_flight(model, s, 1, changes));
    CHECK(!changes.too_many());
    s.x *= -1;
    s.v *= -1;
  }
  REQUIRE(change_in_flight(model, s, 1, changes));
  CHECK(changes.too_many());
}

TEST_CASE("touch splits: the error of a bounce follows the tolerance, and energy comes back",
          "[sim][integrator][adaptive]") {
  for (const RungeKuttaTableau& tableau : embedded_tableaux())
    for (const double k : {500.0, 5e4}) {
      const Model model = dropped(1, {stiff_floor(1, k)});
      const State start{0, Points(Vec3(0, 0, 1)), Points::Zero(3, 1)};
      double before = 0;
      for (const double tolerance : {1e-5, 1e-7}) {
        INFO(tableau.info.name << ", k = " << k << " N/m, tolerance " << tolerance);
        const RunOptions options{embedded(tableau.info.name, true, tolerance), 0.05, 16, 16, {}};
        const Trajectory run = simulate(model, start, options);
        REQUIRE(run.status == StepStatus::Ok);
        const double error = std::abs(run.states.back().x(2, 0) - height_after_bounce(k, 0.8));
        CHECK(error < 100 * tolerance);
        CHECK(std::abs(run.energy.back().numerical) < 100 * tolerance * run.energy.front().total());
        if (before > 0) CHECK(error < before / 10);  // of orders 2 to 5 in substeps as the tolerance's order-th root
        before = error;
      }
    }
}

TEST_CASE("touch splits: substeps are spared where a force begins at once", "[sim][integrator][adaptive]") {
  const Model model = dropped(1, {stiff_floor(1, 5e4)});
  const State start{0, Points(Vec3(0, 0, 1)), Points::Zero(3, 1)};
  const auto evaluations = [&](bool split) {
    long sum = 0;
    for (const StepRecord& record :
         simulate(model, start, {embedded("dormand_prince", split), 0.05, 16, 16, {}}).records)
      sum += record.work.force_evaluations;
    return sum;
  };
  CHECK(evaluations(true) < evaluations(false));
}

TEST_CASE("touch splits: nothing changes where nothing touches, and a resumed run is the same", "[sim][integrator]") {
  const State start{0, columns({{0, 0, 0.2}, {0.4, 0, 0.3}}), columns({{0.1, 0, 0}, {0, 0.2, 0}})};
  const auto end_of = [](const Model& model, const IntegratorChoice& choice, State s, EarlierSteps earlier,
                         Index until) {
    Stepper stepper(model, s, choice, {}, 0.05, earlier);
    while (stepper.n() < until) REQUIRE(stepper.advance().status == StepStatus::Ok);
    return stepper.state();
  };
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    INFO(tableau.info.name);
    const Model flying = dropped(2, {stiff_floor(2, 5e3)});
    const State split = end_of(flying, embedded(tableau.info.name, true, 1e-5), start, {0, 0}, 3),
                whole = end_of(flying, embedded(tableau.info.name, false, 1e-5), start, {0, 0}, 3);
    CHECK(split.x == whole.x);
    CHECK(split.v == whole.v);
    const State all_at_once = end_of(flying, embedded(tableau.info.name, true, 1e-5), start, {0, 0}, 12);
    for (const Index middle : {4, 5, 7}) {
      const State half = end_of(flying, embedded(tableau.info.name, true, 1e-5), start, {0, 0}, middle),
                  resumed = end_of(flying, embedded(tableau.info.name, true, 1e-5), half, {middle, 0}, 12);
      CHECK(resumed.x == all_at_once.x);
      CHECK(resumed.v == all_at_once.v);
    }
  }
}
