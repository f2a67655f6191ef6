// Derivatives through contacts, beside those of the motion itself: of a closed form, or of a run that ends its steps
// where contacts begin and end.
#include "diff/check/gradient_doubts.hpp"

#include <cmath>
#include <numbers>

#include "sim/force/contact_damper.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

constexpr double g = 9.81;

/// A case: what touches what, with which forces, and the exact derivatives of the last position of the last particle,
/// along `seen`, by the first one's start.
struct TouchCase {
  std::string name, force;
  std::function<Model(double smoothing)> model;
  State start;
  double duration, contact;  // time in contact: a tenth of it is the documented step [s]
  Vec3 seen;                 // what is looked at
  Vec3 by_position, by_velocity;
};

/// A particle at an obstacle of stiffness k: s(x) and ∇s, dampers c along ∇s and ct across, under gravity.
struct OneTouch {
  double m, k, c, ct;
  std::function<double(const Vec3&, Vec3&)> distance;

  Vec3 acceleration(const Vec3& x, const Vec3& v, bool touching) const {
    Vec3 n, a(0, 0, -g);
    const double s = distance(x, n);
    if (touching) a += (-k * s * n - c * n.dot(v) * n - ct * (v - n.dot(v) * n)) / m;
    return a;
  }
  void step(Vec3& x, Vec3& v, double h, bool touching) const {  // the classical method of fourth order
    const Vec3 a1 = acceleration(x, v, touching), v2 = v + h / 2 * a1;
    const Vec3 a2 = acceleration(x + h / 2 * v, v2, touching), v3 = v + h / 2 * a2;
    const Vec3 a3 = acceleration(x + h / 2 * v2, v3, touching), v4 = v + h * a3;
    const Vec3 a4 = acceleration(x + h * v3, v4, touching);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  /// Where it is after a time, in steps that end where s = 0.
  Vec3 after(Vec3 x, Vec3 v, double time, double h) const {
    Vec3 n;
    bool touching = distance(x, n) < 0;
    while (time > 0) {
      double length = std::min(h, time);
      Vec3 y = x, w = v;
      step(y, w, length, touching);
      if ((distance(y, n) < 0) != touching && length > 1e-15) {
        double low = 0, high = length;
        for (int half = 0; half < 60; ++half) {
          const double middle = (low + high) / 2;
          y = x, w = v;
          step(y, w, middle, touching);
          ((distance(y, n) < 0) != touching ? high : low) = middle;
        }
        length = high;
        y = x, w = v;
        step(y, w, length, touching);
        touching = !touching;
      }
      x = y, v = w;
      time -= length;
    }
    return x;
  }
};

/// A drop on an obstacle; its derivatives are differences of exact runs.
TouchCase drop_on(const std::string& name, std::shared_ptr<const Obstacle> shape, const OneTouch& touch, const Vec3& x,
                  const Vec3& v, const Vec3& seen) {
  TouchCase made{
      .name = name,
      .force = shape->walls() == 1 && name.find("sphere") != std::string::npos ? "sphere_penalty" : "plane_penalty",
      .model = {},
      .start = {0, Points(x), Points(v)},
      .duration = 0.8,
      .contact = std::numbers::pi * std::sqrt(touch.m / touch.k),
      .seen = seen,
      .by_position = Vec3::Zero(),
      .by_velocity = Vec3::Zero()};
  made.model = [force = made.force, shape, touch](double smoothing) {
    const auto wall = std::make_shared<ObstaclePenalty>(force, shape, all(1, 0), touch.k, smoothing);
    Terms terms{std::make_shared<Gravity>(Vec3(0, 0, -g)), wall};
    if (touch.c > 0 || touch.ct > 0)
      terms.push_back(std::make_shared<ObstacleDamper>(force.substr(0, force.find('_')), wall, touch.c, touch.ct));
    return Model({.particles = 1, .springs = {}, .held = {}}, all(1, touch.m), all(1, 0), terms);
  };
  const double e = 1e-5, h = made.contact / 400;
  for (int a = 0; a < 3; ++a) {
    const Vec3 d = e * Vec3::Unit(a);
    made.by_position[a] =
        seen.dot(touch.after(x + d, v, made.duration, h) - touch.after(x - d, v, made.duration, h)) / (2 * e);
    made.by_velocity[a] =
        seen.dot(touch.after(x, v + d, made.duration, h) - touch.after(x, v - d, made.duration, h)) / (2 * e);
  }
  return made;
}

TouchCase bounce_on_plane(double k, double c = 0, double ct = 0, const Vec3& v = Vec3::Zero()) {
  const OneTouch touch{0.1, k, c, ct, [](const Vec3& x, Vec3& n) {
                         n = Vec3::UnitZ();
                         return x[2];
                       }};
  return drop_on(c > 0 ? "sliding" : "plane", std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3(0, 0, 1)),
                 touch, Vec3(0, 0, 1), v, c > 0 ? Vec3(0.6, 0, 0.8) : Vec3(0, 0, 1));
}

/// Beside its top, so that it leaves to the side.
TouchCase bounce_on_sphere(double k) {
  const Vec3 center(0, 0, -0.5);
  const OneTouch touch{0.1, k, 0, 0, [center](const Vec3& x, Vec3& n) {
                         n = (x - center).normalized();
                         return (x - center).norm() - 0.5;
                       }};
  return drop_on("sphere", std::make_shared<SphereObstacle>("ball", center, 0.5, Side::Outside), touch,
                 Vec3(0.05, 0.02, 1), Vec3::Zero(), Vec3(0.6, 0, 0.8));
}

/// A ball meets another at rest: x₂ = x₂(0) + v T − gap − v τ/2 with τ = π √(m/2k).
TouchCase two_balls(double k) {
  const double m = 0.1, a = 0.1, gap = 0.3, v = 1, T = 0.8, tau = std::numbers::pi * std::sqrt(m / (2 * k));
  TouchCase made{.name = "two balls",
                 .force = "contact_penalty",
                 .model = {},
                 .start = {0, columns({{0, 0, 0}, {2 * a + gap, 0, 0}}), columns({{v, 0, 0}, {0, 0, 0}})},
                 .duration = T,
                 .contact = tau,
                 .seen = Vec3(1, 0, 0),
                 .by_position = Vec3(1, 0, 0),
                 .by_velocity = Vec3(T - tau / 2, 0, 0)};
  made.model = [=](double smoothing) {
    return Model({.particles = 2, .springs = {}, .held = {}}, all(2, m), all(2, 0),
                 {std::make_shared<ContactPenalty>(all(2, a), k, make_neighbor_search("brute_force", 0), smoothing)});
  };
  return made;
}

/// In steps of a part of the contact, or substeps of an embedded pair.
diff::Scenario in_steps(const TouchCase& c, const std::string& integrator, double parts, double smoothing) {
  const IntegratorChoice choice(integrator);
  const Index steps = choice.info().adaptive ? 16 : std::lround(c.duration / (c.contact / parts));
  return {.name = "",
          .model = c.model(smoothing),
          .initial = c.start,
          .integrator = choice,
          .time_step = c.duration / steps,
          .steps = steps,
          .stage = {.tolerance = 1e-13}};
}

/// Largest error of the derivatives by height and by speed that count, relative to the largest of each kind.
double derivative_error(const TouchCase& c, const diff::Scenario& s) {
  diff::AdjointRollout rollout(s);
  REQUIRE(rollout.forward([](Index, const State&) {}).ok());
  const Vector found = rollout.backward([&](Index n, const State&, Points& gx, Points&) {
    if (n == s.steps) gx.col(gx.cols() - 1) += c.seen;
  });
  const Vec3 dx = found.segment<3>(s.position_offset()), dv = found.segment<3>(s.velocity_offset());
  return std::max((dx - c.by_position).norm() / c.by_position.norm(),
                  (dv - c.by_velocity).norm() / c.by_velocity.norm());
}

/// w [m] in "write `smoothing: 0.0082 m` in forces.plane_penalty".
double smoothing_in(const Doubt& doubt) {
  const std::string key = "`smoothing: ";
  const auto at = doubt.remedy.find(key);
  REQUIRE(at != std::string::npos);
  return std::stod(doubt.remedy.substr(at + key.size()));
}

std::vector<TouchCase> touch_cases() {
  return {bounce_on_plane(500),  bounce_on_plane(5e4), bounce_on_plane(5e4, 2, 1.5, Vec3(1, 0, 0)),
          bounce_on_sphere(5e4), two_balls(5e4),       two_balls(1e8)};
}

}  // namespace

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
