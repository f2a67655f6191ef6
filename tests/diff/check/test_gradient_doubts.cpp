// Derivatives through contacts, beside those of the motion itself.
#include "diff/check/gradient_doubts.hpp"

#include <cmath>

#include "sim/force/contact_penalty.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/touch_cases.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// w [m] in "write `smoothing: 0.0082 m` in forces.plane_penalty".
double smoothing_in(const Doubt& doubt) {
  const std::string key = "`smoothing: ";
  const auto at = doubt.remedy.find(key);
  REQUIRE(at != std::string::npos);
  return std::stod(doubt.remedy.substr(at + key.size()));
}

/// Three balls that fall on a floor and on one another, each beside the axis of the others: a stack that tumbles.
diff::Scenario stack_of_balls(Index steps, double floor, double contact) {
  const auto spheres =
      std::make_shared<ContactPenalty>(all(3, 0.05), 2e4, make_neighbor_search("brute_force", 0), contact);
  const auto wall = std::make_shared<ObstaclePenalty>(
      "plane_penalty", std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3(0, 0, 1)), all(3, 0.05), 2e4, floor);
  return {.name = "",
          .model = Model({.particles = 3, .springs = {}, .held = {}}, all(3, 0.1), all(3, 0),
                         {std::make_shared<Gravity>(Vec3(0, 0, -earth_gravity)), spheres,
                          std::make_shared<ContactDamper>(spheres, 2.0), wall,
                          std::make_shared<ObstacleDamper>("plane", wall, 2.0, 0.0)}),
          .initial = {0, columns({{0, 0, 0.06}, {0.01, 0, 0.18}, {0, 0.008, 0.3}}), Points::Zero(3, 3)},
          .integrator = IntegratorChoice("velocity_verlet"),
          .time_step = 0.4 / steps,
          .steps = steps,
          .stage = {}};
}

/// Newton's cradle: four balls that hang on springs, the first of them lifted.
diff::Scenario cradle(Index steps, double, double contact) {
  constexpr Index n = 4;
  const double radius = 0.02, length = 0.3, lifted = 0.5;
  Points x(3, 2 * n);
  std::vector<Spring> springs;
  std::vector<Held> held;
  for (Index i = 0; i < n; ++i) {
    x.col(i) = Vec3(2.02 * radius * i, 0, 0);
    x.col(n + i) = Vec3(2.02 * radius * i, 0, length);
    springs.push_back({i, n + i});
    held.push_back({n + i, {}});
  }
  x.col(0) += length * Vec3(-std::sin(lifted), 0, 1 - std::cos(lifted));
  Vector radii = Vector::Zero(2 * n);
  radii.head(n).setConstant(radius);
  const auto spheres = std::make_shared<ContactPenalty>(radii, 2e4, make_neighbor_search("brute_force", 0), contact);
  return {.name = "",
          .model =
              Model({.particles = 2 * n, .springs = springs, .held = held}, all(2 * n, 0.05), all(2 * n, 0),
                    {std::make_shared<SpringForce>(all(n, 1e4), all(n, length)),
                     std::make_shared<SpringDamper>(all(n, 0.5)), std::make_shared<Gravity>(Vec3(0, 0, -earth_gravity)),
                     spheres, std::make_shared<ContactDamper>(spheres, 0.5)}),
          .initial = {0, x, Points::Zero(3, 2 * n)},
          .integrator = IntegratorChoice("velocity_verlet"),
          .time_step = 0.5 / steps,
          .steps = steps,
          .stage = {}};
}

/// The scenario with the smoothing that is printed for it, if any.
template <class Make>
diff::Scenario as_advised(const Make& make, Index steps) {
  double floor = 0, contact = 0;
  for (const Doubt& doubt : diff::find_gradient_doubts({make(steps, 0.0, 0.0)}))
    (doubt.reason.starts_with("plane") ? floor : contact) = smoothing_in(doubt);
  CHECK(floor + contact > 0);
  diff::Scenario advised = make(steps, floor, contact);
  CHECK(diff::find_gradient_doubts({advised}).empty());
  return advised;
}

/// Of where all particles are at the end by where they began.
Eigen::MatrixXd derivative_of(const diff::Scenario& s) {
  const Index coordinates = 3 * s.model.particles();
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(s.size(), coordinates), end;
  directions.middleRows(s.position_offset(), coordinates).setIdentity();
  REQUIRE(
      diff::run_tangent(s, directions, [&](Index n, const State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
        if (n == s.steps) end = dx;
      }).ok());
  return end;
}

}  // namespace

// No exact motion is known: steps of a sixteenth, each with its own smoothing, stand for it. Every touch amplifies what
// the smoothing moves, so that the errors are those of one touch (2 %) in finer steps only; smoothing falls with h.
TEST_CASE("gradient doubts: with the printed smoothing a stack and a cradle have the derivatives of finer steps",
          "[diff][slow]") {
  const auto converges = [](const auto& make, Index documented) {
    const Eigen::MatrixXd fine = derivative_of(as_advised(make, 16 * documented));
    const auto error = [&](Index steps) {
      return (derivative_of(as_advised(make, steps)) - fine).norm() / fine.norm();
    };
    const double coarse = error(documented), finer = error(4 * documented);
    const Eigen::MatrixXd sharp = derivative_of(make(documented, 0.0, 0.0));
    CHECK(coarse < (sharp - fine).norm() / fine.norm());
    CHECK(finer < coarse / 4);
    CHECK(finer < 0.02);
  };
  converges(stack_of_balls, 4000);
  converges(cradle, 5000);
}

// Between two spheres that face each other, what is beside the axis grows tenfold with every touch.
TEST_CASE("gradient doubts: derivatives that are right and grow beyond use over many touches are said to",
          "[diff][slow]") {
  const auto between = [](Index steps, double duration) {
    Terms terms;
    for (const double side : {-1.0, 1.0})
      terms.push_back(std::make_shared<ObstaclePenalty>(
          "sphere_penalty", std::make_shared<SphereObstacle>("ball", Vec3(side, 0, 0), 0.5, Side::Outside), all(1, 0),
          5e4, 4e-3));
    return diff::Scenario{.name = "pinball",
                          .model = Model({.particles = 1, .springs = {}, .held = {}}, all(1, 0.1), all(1, 0), terms),
                          .initial = {0, Points(Vec3::Zero()), Points(Vec3(1, 0, 0))},
                          .integrator = IntegratorChoice("velocity_verlet"),
                          .time_step = duration / steps,
                          .steps = steps,
                          .stage = {}};
  };
  CHECK(diff::find_gradient_doubts({between(8000, 2)}).empty());
  const auto doubts = diff::find_gradient_doubts({between(8000, 2), between(40000, 10)});
  REQUIRE(doubts.size() == 1);
  CHECK_THAT(doubts[0].reason,
             Catch::Contains("pinball: a change of the start grows") && Catch::Contains("-fold over"));
  CHECK_THAT(doubts[0].remedy, Catch::Contains("end the run earlier"));
}

TEST_CASE("gradient doubts: the smoothing that is printed makes derivatives those of the motion", "[diff][order]") {
  for (const TouchCase& c : touch_cases())
    for (const std::string integrator : {"velocity_verlet", "imex_midpoint", "dormand_prince", "bogacki_shampine"}) {
      if (c.contact < 1e-4 && integrator != "velocity_verlet") continue;  // the stiffest, once: 10⁵ steps
      const bool adaptive = IntegratorChoice(integrator).info().adaptive;
      double first = 0, width = 0;
      for (const double parts : {10.0, 20.0, 40.0}) {
        if (parts > 10 && (adaptive || c.contact < 1e-4)) continue;
        INFO(c.name << ", " << integrator << ", " << parts << " steps in contact");
        const auto doubts = diff::find_gradient_doubts({in_steps(c, integrator, parts, 0)});
        REQUIRE(doubts.size() == 1);
        CHECK_THAT(doubts[0].reason, Catch::StartsWith(c.force + " begins within a step: a touch of particle 0"));
        // Shorter steps are asked for where these are long beside the contact, as substeps may be, and never else.
        if (!adaptive) CHECK(doubts[0].remedy.find("take steps") == std::string::npos);
        if (!adaptive) CHECK(derivative_error(c, in_steps(c, integrator, parts, 0)) > 0.1);
        const diff::Scenario smooth = in_steps(c, integrator, parts, smoothing_in(doubts[0]));
        CHECK(diff::find_gradient_doubts({smooth}).empty());
        const double error = derivative_error(c, smooth);
        CHECK(error < 0.02);
        // The printed w falls with h; for one that does not, so does the error, down to what this w changes.
        if (parts == 10) first = error, width = smoothing_in(doubts[0]);
        CHECK(derivative_error(c, in_steps(c, integrator, parts, width)) <= first + 0.005);
      }
    }
}

TEST_CASE(
    "gradient doubts: imex_euler, which takes energy from a touch, approaches the motion's derivatives with its order",
    "[diff][order]") {
  for (const TouchCase& c :
       {bounce_on_plane(5e4), bounce_on_plane(5e4, 2, 1.5, Vec3(1, 0, 0)), bounce_on_sphere(5e4)}) {
    INFO(c.name);
    std::vector<double> errors;
    for (const double parts : {40.0, 160.0}) {
      const auto doubts = diff::find_gradient_doubts({in_steps(c, "imex_euler", parts, 0)});
      REQUIRE(doubts.size() == 1);
      errors.push_back(derivative_error(c, in_steps(c, "imex_euler", parts, smoothing_in(doubts[0]))));
    }
    CHECK(errors[0] / errors[1] > 3);  // 4 in the limit
  }
}

TEST_CASE("gradient doubts: steps longer than a tenth of the contact are to be shortened first", "[diff]") {
  const TouchCase c = bounce_on_plane(5e4);
  const auto doubts = diff::find_gradient_doubts({in_steps(c, "imex_midpoint", 3, 0)});
  REQUIRE(doubts.size() == 1);
  CHECK_THAT(doubts[0].remedy, Catch::StartsWith("take steps of at most 0.00047 s, a tenth of the contact, and write"));
  CHECK(derivative_error(c, in_steps(c, "imex_midpoint", c.contact / 0.00047, smoothing_in(doubts[0]))) < 0.02);
}

TEST_CASE("gradient doubts: nothing is said of touches that steps resolve, and of none", "[diff]") {
  // k h T/m = 0.03
  const TouchCase soft = bounce_on_plane(500);
  diff::Scenario fine = in_steps(soft, "velocity_verlet", 10, 0);
  fine.time_step = 2e-5;
  fine.steps = 23000;  // it has just touched, at 0.4515 s
  CHECK(diff::find_gradient_doubts({fine}).empty());
  diff::Scenario flight = in_steps(soft, "velocity_verlet", 10, 0);
  flight.steps /= 2;
  CHECK(diff::find_gradient_doubts({flight}).empty());
  CHECK(diff::find_gradient_doubts({}).empty());
}

TEST_CASE("gradient doubts: the error of a touch and the smoothing for it are pure numbers of its own scales",
          "[diff]") {
  const diff::TouchError touch{5e4, 0, 4.43, 0.1, 4.44e-4, 0.348};
  CHECK(touch.sharp() == Approx(5e4 * 4.44e-4 * 0.348 / 0.2).epsilon(1e-14));
  CHECK(touch.smoothed(0) == touch.sharp());
  CHECK(touch.smoothed(touch.advised()) <= 0.0107);  // 540/(12π)⁴ of an error of 40
  for (const double length : {1e-9, 1e6})
    for (const double time : {1e-12, 1e5})
      for (const double mass : {1e-20, 1e9}) {
        const diff::TouchError scaled{touch.stiffness * mass / time / time,
                                      0,
                                      touch.speed * length / time,
                                      touch.mass * mass,
                                      touch.step * time,
                                      touch.time * time};
        CHECK(scaled.sharp() == Approx(touch.sharp()).epsilon(1e-12));
        CHECK(scaled.advised() == Approx(touch.advised() * length).epsilon(1e-12));
        CHECK(scaled.in_tenths().step == Approx(touch.in_tenths().step * time).epsilon(1e-12));
      }
  const diff::TouchError jumping{0, 8.7, 4.3, 0.1, 1e-6, 0.3};
  CHECK(jumping.sharp() == Approx(8.7 / 4.3 * 0.3 / 0.1).epsilon(1e-14));  // whatever the step
  CHECK(jumping.in_tenths().step == jumping.step);
}
