#include "sim/kernel/smoothed_depth.hpp"

#include <cmath>

#include "sim/force/contact_penalty.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;
using kernel::smoothed_depth;

namespace {

/// Mean of max(d + z, 0) over z with the density (315/256) (1 − z²)⁴ in (−1, 1), by the midpoint rule.
double mean_over_shifts(double d) {
  const int parts = 20000;  // an error of 1e-9
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    const double z = -1 + 2 * (k + 0.5) / parts;
    sum += 315.0 / 256 * std::pow(1 - z * z, 4) * std::max(d + z, 0.0) * 2 / parts;
  }
  return sum;
}

constexpr double scales[] = {1e-12, 1.0, 1e9};  // what a contact does is the same at every size

}  // namespace

TEST_CASE("smoothed depth: it is the mean over shifted touches, zero before them and the depth after",
          "[sim][force][kernel]") {
  for (const double w : scales) {
    INFO("w = " << w);
    for (const double a : {-0.99, -0.6, -0.2, 0.0, 0.3, 0.8, 0.99}) {
      INFO("at " << a);
      const auto at = smoothed_depth(a * w, w);
      CHECK(at.depth / w == Approx(mean_over_shifts(a)).margin(1e-8));
    }
    for (const double d : {-1.0, -1.0000001, -50.0}) {
      const auto at = smoothed_depth(d * w, w);
      CHECK((at.depth == 0 && at.share == 0 && at.bend == 0));
    }
    for (const double d : {1.0, 1.7, 3e5}) {
      const auto at = smoothed_depth(d * w, w);
      CHECK((at.depth == d * w && at.share == 1 && at.bend == 0));
      CHECK((at.push() == d * w && at.slope() == 1));
    }
  }
  for (const double d : {-1e300, -1e-300, 0.0, 1e-300, 0.7, 1e300}) {
    const auto sharp = smoothed_depth(d, 0);
    CHECK((sharp.depth == std::max(d, 0.0) && sharp.share == (d >= 0 ? 1 : 0) && sharp.bend == 0));
  }
}

TEST_CASE("smoothed depth: its derivatives are those of differences, and continuous at both ends",
          "[sim][force][kernel][fd]") {
  for (const double w : scales) {
    INFO("w = " << w);
    const double e = 1e-4 * w;
    for (const double a : {-0.9, -0.3, 0.1, 0.7, 0.95}) {
      const auto at = smoothed_depth(a * w, w), less = smoothed_depth(a * w - e, w),
                 more = smoothed_depth(a * w + e, w);
      // e² times third derivatives below 30 in units of w
      CHECK((more.depth * more.depth - less.depth * less.depth) / (4 * e) / w == Approx(at.push() / w).margin(1e-6));
      CHECK((more.push() - less.push()) / (2 * e) == Approx(at.slope()).margin(1e-6));
      CHECK(at.slope() < kernel::largest_slope);
      CHECK((more.depth - less.depth) / (2 * e) == Approx(at.share).margin(1e-6));
      CHECK((more.share - less.share) / (2 * e) * w == Approx(at.bend * w).margin(1e-6));
    }
    // Beside an end, at z of the width: 42/2⁶ z⁶, 126/2⁵ z⁵ and 315/2⁴ z⁴ in units of w.
    for (const double z : {1e-2, 1e-4}) {
      const auto before = smoothed_depth(-w * (1 - z), w), within = smoothed_depth(w * (1 - z), w);
      CHECK(before.depth / w < std::pow(z, 6));
      CHECK(before.share < 4 * std::pow(z, 5));
      CHECK(before.bend * w < 20 * std::pow(z, 4));
      // Here rounding counts, too.
      CHECK(std::abs(within.depth / w - (1 - z)) < std::pow(z, 6) + 1e-13);
      CHECK(std::abs(within.share - 1) < 4 * std::pow(z, 5) + 1e-13);
      CHECK(within.bend * w < 20 * std::pow(z, 4));
    }
  }
}

TEST_CASE("contact smoothing: forces of obstacles and spheres are those without it, farther from the touch than w",
          "[sim][force]") {
  const double k = 50, r = 0.1, c = 3;
  const auto plane = std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3(0, 0, 1));
  const auto search = [] { return make_neighbor_search("brute_force", 0); };
  for (const double scale : scales)
    for (const double depth : {-3.0, -1.0, -0.999, 0.0, 0.999, 1.0, 3.0}) {
      const double w = 0.02 * scale, d = depth * w;
      INFO("scale " << scale << ", depth " << depth);
      const auto force = [&](double smoothing) {
        const auto wall =
            std::make_shared<ObstaclePenalty>("plane_penalty", plane, Vector::Constant(2, r * scale), k, smoothing);
        const auto spheres = std::make_shared<ContactPenalty>(Vector::Constant(2, r * scale), k, search(), smoothing);
        const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0),
                          {wall, std::make_shared<ObstacleDamper>("plane", wall, c, c), spheres,
                           std::make_shared<ContactDamper>(spheres, c)});
        const State s{0, scale * columns({{0, 0, r - d / scale}, {2 * r - d / scale, 0, 5}}),
                      scale * columns({{1, 0, -1}, {0, 0, 0}})};
        State beside = s;  // the spheres side by side, far above the floor
        beside.x(2, 0) = 5 * scale;
        Points on_wall = Points::Zero(3, 2), on_sphere = Points::Zero(3, 2);
        for (const auto& term : model.terms()) {
          term->add_force(model, s, on_wall);
          term->add_force(model, beside, on_sphere);
        }
        return Points{(Points(3, 2) << on_wall.col(0), on_sphere.col(0)).finished() / (k * w)};
      };
      const Points sharp = force(0), smooth = force(w);
      if (std::abs(depth) > 1)
        CHECK((smooth - sharp).norm() < 1e-10);  // rounding of places, 1e-16 r/w, in the spheres' distance
      else if (std::abs(depth) < 0.9)
        CHECK((smooth - sharp).norm() > 0.1);  // each does something in between
    }
}

TEST_CASE("contact smoothing: points do not meet, and a bowl keeps room for it", "[sim][force][error]") {
  const auto spheres =
      std::make_shared<ContactPenalty>(Vector{{0.0, 0.0, 0.1}}, 50, make_neighbor_search("brute_force", 0), 0.2);
  const Model model({.particles = 3, .springs = {}, .held = {}}, all(3, 1), all(3, 0), {spheres});
  Points f = Points::Zero(3, 3);
  spheres->add_force(model, {0, columns({{0, 0, 0}, {0.01, 0, 0}, {9, 0, 0}}), Points::Zero(3, 3)}, f);
  CHECK(f.isZero(0));
  const auto bowl = std::make_shared<SphereObstacle>("bowl", Vec3::Zero(), 0.5, Side::Inside);
  const auto within = [&](double w) {
    return Model({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0),
                 {std::make_shared<ObstaclePenalty>("sphere_penalty", bowl, all(1, 0.1), 1, w)});
  };
  CHECK_NOTHROW(within(0.39));
  CHECK_THROWS_WITH(within(0.4), Catch::Contains("forces.sphere_penalty.radius: must be < 0.1 m beside the smoothing"));
}
