// Contacts: spheres with each other, and with planes and boxes.
#include <array>
#include <cmath>
#include <random>
#include <set>

#include "sim/constraint/obstacle_contact.hpp"
#include "sim/constraint/sphere_contact.hpp"
#include "sim/force/gravity.hpp"
#include "sim/integrator/xpbd.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using pithball::tests::columns;

namespace {

constexpr double free_fall = 9.81;

std::shared_ptr<Constraint> spheres(const Vector& radius, const ContactLaw& law = {}) {
  return std::make_shared<SphereContact>(radius, law);
}

ObstacleOptions stopping(Index n, const ContactLaw& law, double radius = 0) {
  ObstacleOptions options{{}, Vector::Constant(n, radius), law};
  for (Index i = 0; i < n; ++i) options.particles.push_back(i);
  return options;
}

Model bodies(const Vector& mass, std::vector<std::shared_ptr<Constraint>> contacts,
             const Vec3& acceleration = Vec3::Zero()) {
  return Model({.particles = mass.size(), .springs = {}, .held = {}}, mass, Vector::Zero(mass.size()),
               {std::make_shared<Gravity>(acceleration)}, std::move(contacts));
}

State run_contacts(const Model& model, const State& s, double h, Index steps, double substeps = 10) {
  tests::MapSettings settings(0, {{"substeps", substeps}});
  const Trajectory run = simulate(
      model, s, {.integrator = {"xpbd", settings}, .time_step = h, .steps = steps, .every = steps, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  return run.states.back();
}

}  // namespace

TEST_CASE("spheres: a central collision leaves the velocities of the textbook, whatever the masses",
          "[sim][constraint][contact]") {
  for (const double e : {0.0, 0.6, 1.0})
    for (const double heavier : {1.0, 7.0}) {
      INFO("restitution " << e << ", mass ratio " << heavier);
      const Vector mass{{heavier, 1}};
      const Model model = bodies(mass, {spheres(Vector{{0.2, 0.1}}, {.restitution = e})});
      const Vec3 n = Vec3(1, 2, -2) / 3;
      State s{0, Points(3, 2), Points(3, 2)};
      s.x << -0.5 * n, 0.7 * n;
      s.v << 0.9 * n, -0.4 * n;
      const State end = run_contacts(model, s, 0.05, 40);
      const double common = (heavier * 0.9 - 0.4) / (heavier + 1), approach = 1.3;
      // Nothing but rounding: the bounce is from the velocities before it, whatever the overlap that was found.
      CHECK((end.v.col(0) - (common - e * approach / (heavier + 1)) * n).norm() < 1e-12);
      CHECK((end.v.col(1) - (common + e * approach * heavier / (heavier + 1)) * n).norm() < 1e-12);
      CHECK((end.x.col(0) - end.x.col(1)).norm() > 0.3 - 1e-12);
    }
}

TEST_CASE("plane: an oblique bounce loses μ(1 + e) v_n along the plane, or all that there is",
          "[sim][constraint][contact]") {
  for (const double mu : {0.0, 0.2, 5.0}) {
    const double e = 0.5;
    INFO("friction " << mu);
    const Model model =
        bodies(Vector::Constant(1, 2),
               {std::make_shared<PlaneContact>(Vec3(0, 0, 0.5), Vec3(0, 0, 3), stopping(1, {e, mu}, 0.1))});
    const State end = run_contacts(model, {0, columns({{0, 0, 1}}), columns({{3, -4, -2}})}, 0.01, 60);
    const double left = std::max(0.0, 5 - mu * (1 + e) * 2);
    CHECK((end.v.col(0) - Vec3(left * 0.6, -left * 0.8, e * 2)).norm() < 1e-12);
    CHECK(end.x(2, 0) > 0.6);
  }
}

TEST_CASE("plane: a ball that is dropped rises to e² of its height, better with more substeps",
          "[sim][constraint][contact][order]") {
  const double e = 0.8, height = 1;
  const Model model =
      bodies(Vector::Ones(1), {std::make_shared<PlaneContact>(Vec3::Zero(), Vec3(0, 0, 1), stopping(1, {e}))},
             Vec3(0, 0, -free_fall));
  const double to_top = std::sqrt(2 * height / free_fall) * (1 + e);
  const auto error = [&](double substeps) {
    const State top =
        run_contacts(model, {0, columns({{0, 0, height}}), columns({{0, 0, 0}})}, to_top / 100, 100, substeps);
    return std::abs(top.x(2, 0) - e * e * height);
  };
  CHECK(error(10) < 1e-2);  // a substep of 1e-3 s at 4 m/s, first order
  CHECK(error(160) < 1e-3);
}

TEST_CASE("plane: on a slope a body slides with g (sin θ − μ cos θ), and rests where friction holds it",
          "[sim][constraint][contact]") {
  const double theta = 0.5;
  const Vec3 n(std::sin(theta), 0, std::cos(theta)), down(std::cos(theta), 0, -std::sin(theta));
  for (const double mu : {0.0, 0.3, 0.8}) {
    INFO("friction " << mu);
    const Model model =
        bodies(Vector::Constant(1, 3), {std::make_shared<PlaneContact>(Vec3::Zero(), n, stopping(1, {.friction = mu}))},
               Vec3(0, 0, -free_fall));
    const State end = run_contacts(model, {0, Points::Zero(3, 1), Points::Zero(3, 1)}, 0.01, 100, 20);
    const double a = std::max(0.0, free_fall * (std::sin(theta) - mu * std::cos(theta)));
    // Friction acts on velocities: what rests creeps by g sin θ Δt² a substep, 5e-4 s.
    CHECK(end.x.col(0).dot(down) == Approx(a / 2).margin(2 * free_fall * 5e-4));
    CHECK(end.v.col(0).dot(down) == Approx(a).margin(1e-9));
    CHECK(std::abs(end.x.col(0).dot(n)) < 1e-9);
  }
}

TEST_CASE("plane: the record of a contact names particle, point, normal, depth and impulse",
          "[sim][constraint][contact]") {
  const double r = 0.2, h = 0.01;
  const Vector mass{{0.5, 2}};
  ObstacleOptions only_second = stopping(2, {}, r);
  only_second.particles = {1};
  const Model model =
      bodies(mass, {spheres(Vector::Zero(2)), std::make_shared<PlaneContact>(Vec3::Zero(), Vec3(0, 0, 1), only_second)},
             Vec3(0, 0, -free_fall));
  Xpbd integrator({.substeps = 10});
  State s{0, columns({{0, 0, 5}, {1, 2, r}}), Points::Zero(3, 2)};
  History history = integrator.start(model, s);
  const StepRecord record = integrator.step(model, {h, h}, s, history);
  const std::vector<ContactRecord> contacts = integrator.contacts();
  REQUIRE(contacts.size() == 1);
  CHECK(record.pushing.contacts == 1);
  CHECK(contacts[0].constraint == 1);
  CHECK(contacts[0].row.count == 1);
  CHECK(contacts[0].row.particles[0] == 1);
  CHECK((contacts[0].point - Vec3(1, 2, 0)).norm() < 1e-12);
  CHECK((contacts[0].normal - Vec3(0, 0, 1)).norm() < 1e-15);
  CHECK(contacts[0].depth == Approx(free_fall * 1e-6).epsilon(1e-9));  // g Δt² of a substep
  CHECK(contacts[0].impulse == Approx(mass[1] * free_fall * h).epsilon(1e-9));
}

TEST_CASE("plane: a cold boundary takes energy out of what touches it and lets nothing through",
          "[sim][constraint][contact]") {
  const Model model = bodies(
      Vector::Ones(1), {std::make_shared<PlaneContact>(Vec3::Zero(), Vec3(0, 0, 1), stopping(1, {.slip = 0.25}))});
  const State end = run_contacts(model, {0, columns({{0, 0, 0.015}}), columns({{2, 0, -1}})}, 0.01, 4);
  // One substep in contact: then neither speed nor force drives it into the plane.
  CHECK((end.v.col(0) - Vec3(0.5, 0, 0)).norm() < 1e-12);
  CHECK(end.x(2, 0) > -1e-12);
}

TEST_CASE("box: elastic spheres in a container stay inside and keep their energy", "[sim][constraint][contact]") {
  const Index n = 30;
  std::mt19937 dice(7);
  std::uniform_real_distribution<double> place(-0.9, 0.9);
  State s{0, Points(3, n), Points(3, n)};
  for (double& c : s.v.reshaped()) c = place(dice);
  for (Index i = 0; i < n; ++i) s.x.col(i) = Vec3(-0.8 + 0.4 * (i % 5), -0.5 + 0.5 * (i / 5 % 3), -0.5 + (i / 15));
  const double r = 0.1;
  const ContactLaw elastic{.restitution = 1};
  const Model model =
      bodies(Vector::Constant(n, 0.3),
             {spheres(Vector::Constant(n, r), elastic),
              std::make_shared<BoxContact>(Vec3(-1, -1, -1), Vec3(1, 1, 1), Side::Inside, stopping(n, elastic, r))});
  const State end = run_contacts(model, s, 0.01, 300);
  CHECK((end.v - s.v).norm() > 1);
  CHECK(end.x.cwiseAbs().maxCoeff() < 1 - r + 1e-3);  // several contacts at once leave some overlap to the next substep
  CHECK(end.v.squaredNorm() ==
        Approx(s.v.squaredNorm()).epsilon(0.01));  // exact but where one sphere has two contacts at once
  double closest = 1;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) closest = std::min(closest, (end.x.col(i) - end.x.col(j)).norm());
  CHECK(closest > 2 * r - 1e-3);
}

TEST_CASE("box: as a block it stops particles on each side, at edges and inside", "[sim][constraint][contact]") {
  const BoxContact block(Vec3(0, 0, 0), Vec3(1, 2, 3), Side::Outside, stopping(1, {}));
  const Model model = bodies(Vector::Ones(1), {std::make_shared<BoxContact>(block)});
  const auto C = [&](const Vec3& x, const Vec3& normal) {
    RowPoints at, gradient;
    at.col(0) = x;
    const double distance = model.constraints()[0]->evaluate(model, {0, 1, {0}}, at, gradient);
    CHECK((gradient.col(0) - normal).norm() < 1e-15);
    return distance;
  };
  CHECK(C({1.5, 1, 1}, {1, 0, 0}) == Approx(0.5));
  CHECK(C({0.5, -2, 1}, {0, -1, 0}) == Approx(2));
  CHECK(C({1.3, 2.4, 1}, {0.6, 0.8, 0}) == Approx(0.5));
  CHECK(C({0.5, 1, 2.9}, {0, 0, 1}) == Approx(-0.1));
  CHECK(C({0.2, 1, 1.5}, {-1, 0, 0}) == Approx(-0.2));
}

TEST_CASE("spheres: the search finds each pair that can touch, once", "[sim][constraint][contact]") {
  const Index n = 200;
  std::mt19937 dice(11);
  std::uniform_real_distribution<double> number(0, 1);
  Points x(3, n);
  Vector radius(n), reach(n);
  for (Index i = 0; i < n; ++i) {
    x.col(i) = Vec3(5 * number(dice), number(dice), 2 * number(dice));
    radius[i] = i % 9 == 0 ? 0 : 0.3 * number(dice);
    reach[i] = 0.2 * number(dice);
  }
  const Model model = bodies(Vector::Ones(n), {spheres(radius)});
  std::vector<ConstraintRow> rows;
  model.constraints()[0]->add_rows(model, x, reach, rows);
  std::set<std::pair<Index, Index>> found, wanted;
  for (const ConstraintRow& row : rows) found.insert({row.particles[0], row.particles[1]});
  CHECK(found.size() == rows.size());
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < j; ++i)
      if (radius[i] > 0 && radius[j] > 0 && (x.col(i) - x.col(j)).norm() <= radius[i] + radius[j] + reach[i] + reach[j])
        wanted.insert({i, j});
  REQUIRE(wanted.size() > 500);
  CHECK(found == wanted);
}

TEST_CASE("spheres: rows of moving particles do not depend on earlier searches, in any order",
          "[sim][constraint][contact]") {
  const Index n = 600;
  std::mt19937 dice(12);
  std::uniform_real_distribution<double> number(0, 1);
  Points x(3, n);
  Vector radius(n);
  for (Index i = 0; i < n; ++i) {
    x.col(i) = 1.2 * Vec3(number(dice), number(dice), number(dice));
    radius[i] = i == 0 ? 0.5 : 0.05 * (1 + number(dice));  // one of them much larger
  }
  const auto rows_of = [&](const Model& model, double reach) {
    std::vector<ConstraintRow> rows;
    model.constraints()[0]->add_rows(model, x, Vector::Constant(n, reach), rows);
    std::vector<std::array<Index, 2>> pairs;
    for (const ConstraintRow& row : rows) pairs.push_back({row.particles[0], row.particles[1]});
    return pairs;
  };
  const Model moving = bodies(Vector::Ones(n), {spheres(radius)});
  for (int step = 0; step < 40; ++step) {
    const double reach = step % 4 == 3 ? 0.03 : 0.004;  // too fast for a list that lasts, and slow enough
    const Model unmoved = bodies(Vector::Ones(n), {spheres(radius)});
    const auto pairs = rows_of(moving, reach);
    REQUIRE(pairs.size() > 1000);
    REQUIRE(pairs == rows_of(unmoved, reach));
    for (double& coordinate : x.reshaped()) coordinate += 0.01 * (number(dice) - 0.5);
  }
}

TEST_CASE("spheres: rows of one particle are not next to each other in a packing", "[sim][constraint][contact]") {
  constexpr Index along = 8, n = along * along * along;
  Points x(3, n);
  for (Index i = 0; i < n; ++i) x.col(i) = Vec3(i % along, i / along % along, i / along / along);
  const Model model = bodies(Vector::Ones(n), {spheres(Vector::Constant(n, 0.5))});
  std::vector<ConstraintRow> rows;
  model.constraints()[0]->add_rows(model, x, Vector::Constant(n, 0.01), rows);
  REQUIRE(rows.size() == 3 * along * along * (along - 1));
  Index shared = 0;
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (Index k = 0; k < 2; ++k)
      for (Index l = 0; l < 2; ++l) shared += rows[r].particles[k] == rows[r - 1].particles[l];
  // In the order of the particles two of three rows begin with the particle of the row before.
  CHECK(shared < static_cast<Index>(rows.size() / 20));
}

TEST_CASE("spheres: a row of balls passes the impact on within a step, balls far from the first included",
          "[sim][constraint][contact]") {
  const Index n = 12;
  const Model model = bodies(Vector::Ones(n), {spheres(Vector::Constant(n, 0.1), {.restitution = 1})});
  State s{0, Points::Zero(3, n), Points::Zero(3, n)};
  for (Index i = 0; i < n; ++i) s.x(0, i) = 0.25 * i;
  s.v(0, 0) = 10;
  // In this one step the impact runs 0.05 m at a time down the row; no ball but the first has any speed before it.
  const State end = run_contacts(model, s, 0.2, 1, 400);
  Vector speeds = Vector::Zero(n);
  speeds[n - 1] = 10;
  CHECK((end.v.row(0).transpose() - speeds).norm() < 1e-9);
}

TEST_CASE("contacts: laws outside their range and obstacles that are none are rejected", "[sim][constraint][error]") {
  const Vector one = Vector::Ones(1);
  CHECK_THROWS_WITH(SphereContact(one, {.restitution = 1.5}),
                    Catch::Contains("constraints.spheres.restitution: must be between 0 and 1, got 1.5"));
  CHECK_THROWS_WITH(PlaneContact(Vec3::Zero(), Vec3(0, 0, 1), stopping(1, {.slip = -0.1})),
                    Catch::Contains("constraints.plane.slip: must be between 0 and 1, got -0.1"));
  CHECK_THROWS_WITH(bodies(one, {spheres(one, {.friction = -1})}),
                    Catch::Contains("spheres_friction: must be >= 0, got -1"));
  CHECK_THROWS_WITH(bodies(one, {spheres(-one)}), Catch::Contains("spheres_radius"));
  CHECK_THROWS_WITH(PlaneContact(Vec3::Zero(), Vec3::Zero(), stopping(1, {})),
                    Catch::Contains("constraints.plane.normal"));
  CHECK_THROWS_WITH(BoxContact(Vec3(0, 0, 0), Vec3(1, 0, 1), Side::Inside, stopping(1, {})),
                    Catch::Contains("constraints.box.max"));
}
