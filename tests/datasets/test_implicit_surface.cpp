#include "datasets/mesh/implicit_surface.hpp"

#include <Eigen/Geometry>
#include <random>

#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using pithball::testing::complaint_of;

namespace {

const Ellipsoid tilted{Vec3(0.3, -0.2, 0.1), Vec3(1.0, 0.5, 0.3), Vec3(1, 2, -1), 0.7};
const Limb limb{Vec3(0, 0, 0), Vec3(1, 0.5, 2), 0.4, 0.2};

}  // namespace

TEST_CASE("implicit_surface: a sphere's value is the distance to it", "[datasets][mesh]") {
  const ImplicitSurface sphere({{"ball", Ellipsoid{Vec3(1, 2, 3), Vec3(2, 2, 2)}}}, 0.1);
  for (const Vec3& away : {Vec3(3, 0, 0), Vec3(0.5, -0.5, 0.1), Vec3(-1, 4, 2)}) {
    CHECK(sphere.value(Vec3(1, 2, 3) + away) == Approx(away.norm() - 2).epsilon(1e-12));
    CHECK((sphere.gradient(Vec3(1, 2, 3) + away) - away.normalized()).norm() < 1e-12);
  }
}

TEST_CASE("implicit_surface: a limb's value is the distance to its spheres' sides", "[datasets][mesh]") {
  const ImplicitSurface even({{"rod", Limb{Vec3(0, 0, 0), Vec3(0, 0, 2), 0.3, 0.3}}}, 0.1);
  CHECK(even.value(Vec3(1, 0, 1)) == Approx(0.7));
  CHECK(even.value(Vec3(0, 0, 3)) == Approx(0.7));
  CHECK(even.value(Vec3(0, 0, 1)) == Approx(-0.3));
  const ImplicitSurface tapered({{"rod", Limb{Vec3(0, 0, 0), Vec3(0, 0, 2), 0.3, 0.1}}}, 0.1);
  CHECK(tapered.value(Vec3(0, 1, 1)) == Approx(0.8));
}

TEST_CASE("implicit_surface: an ellipsoid vanishes on it, has slope 1 there, and keeps its sign", "[datasets][mesh]") {
  const ImplicitSurface surface({{"body", tilted}}, 0.1);
  const Eigen::Matrix3d rotation = Eigen::AngleAxisd(tilted.angle, tilted.axis.normalized()).toRotationMatrix();
  for (const Vec3& direction : {Vec3(1, 0, 0), Vec3(-0.3, 0.8, 0.5), Vec3(0.1, -0.1, -0.9)}) {
    const Vec3 unit = direction.normalized();
    const auto at = [&](double stretch) -> Vec3 {
      return tilted.center + stretch * rotation * tilted.radii.cwiseProduct(unit);
    };
    CHECK(std::abs(surface.value(at(1))) < 1e-14);
    CHECK(surface.gradient(at(1)).norm() == Approx(1).epsilon(1e-12));
    CHECK(surface.value(at(0.9)) < 0);
    CHECK(surface.value(at(1.1)) > 0);
  }
  CHECK(surface.value(tilted.center) == -0.3);
}

TEST_CASE("implicit_surface: gradients are those of central differences", "[datasets][mesh][fd]") {
  const ImplicitSurface surfaces[] = {{{{"body", tilted}}, 0.1},
                                      {{{"leg", limb}}, 0.1},
                                      {{{"body", tilted}, {"leg", limb}}, 0.2},
                                      duck_surface(),
                                      bunny_surface()};
  std::mt19937_64 engine(3);
  const auto uniform = [&] { return (engine() >> 11) * 0x1p-53; };
  for (const ImplicitSurface& surface : surfaces)
    for (int trial = 0; trial < 20; ++trial) {
      const Vec3 x(3 * uniform() - 1.5, 2 * uniform() - 1, 3 * uniform() - 1);
      const Vec3 slope = surface.gradient(x);
      REQUIRE(slope.norm() > 0.1);
      constexpr double h = 1e-6;  // error h²/6 f''' + rounding/h: below 1e-8 for lengths of about 0.1 and more
      for (int a = 0; a < 3; ++a) {
        const Vec3 step = h * Vec3::Unit(a);
        CAPTURE(trial, x.transpose(), a);
        CHECK(slope[a] == Approx((surface.value(x + step) - surface.value(x - step)) / (2 * h)).margin(1e-7));
      }
    }
}

TEST_CASE("implicit_surface: parts blend, and are distinguished by distance", "[datasets][mesh]") {
  const Ellipsoid left{Vec3(-1, 0, 0), Vec3(1, 1, 1)}, right{Vec3(1, 0, 0), Vec3(1, 1, 1)};
  const ImplicitSurface pair({{"left", left}, {"right", right}}, 0.1);
  // Where they touch, both distances are 0: f = −b log 2.
  CHECK(pair.value(Vec3(0, 0, 0)) == Approx(-0.1 * std::log(2)));
  CHECK(pair.nearest_part(Vec3(-0.1, 1, 0)) == 0);
  CHECK(pair.nearest_part(Vec3(0.1, 1, 0)) == 1);
  const Vec3 waist = pair.projected(Vec3(0, 0.3, 0.1));
  CHECK(std::abs(pair.value(waist)) < 1e-14);
  CHECK(waist[1] > 0.2);
  const auto box = pair.box();
  CHECK((box.col(0).array() < Vec3(-2, -1, -1).array()).all());
  CHECK((box.col(1).array() > Vec3(2, 1, 1).array()).all());
}

TEST_CASE("implicit_surface: a part's thinness is its area in squares of the least radius", "[datasets][mesh]") {
  const ImplicitSurface surface({{"ball", Ellipsoid{Vec3::Zero(), Vec3(2, 2, 2)}},
                                 {"plate", Ellipsoid{Vec3::Zero(), Vec3(1, 2, 0.5)}},
                                 {"limb", Limb{Vec3::Zero(), Vec3(3, 0, 0), 0.5, 0.25}}},
                                0.1);
  CHECK(surface.least_radius(1) == 0.5);
  CHECK(surface.least_radius(2) == 0.25);
  CHECK(surface.thinness(0) == 1);
  CHECK(surface.thinness(1) == 8);
  CHECK(surface.thinness(2) == 28);
}

TEST_CASE("implicit_surface: animals are symmetric about y = 0, and their boxes hold them", "[datasets][mesh]") {
  for (const ImplicitSurface& surface : {duck_surface(), bunny_surface()}) {
    std::mt19937_64 engine(5);
    const auto uniform = [&] { return (engine() >> 11) * 0x1p-53; };
    const auto box = surface.box();
    for (int trial = 0; trial < 200; ++trial) {
      const Vec3 x(3 * uniform() - 1.5, 2 * uniform() - 1, 3 * uniform() - 1);
      CHECK(surface.value(x) == Approx(surface.value(Vec3(x[0], -x[1], x[2]))).margin(1e-12));
      const Vec3 outside = (box.col(0) + box.col(1)) / 2 + (box.col(1) - box.col(0)).norm() / 2 * x.normalized();
      CHECK(surface.value(outside) > 0);
    }
  }
}

TEST_CASE("implicit_surface: nonsense is rejected with the part and a remedy", "[datasets][mesh][error]") {
  const auto rejects = [](const BodyPart& part, double blend, const std::string& what) {
    const std::string message = complaint_of([&] { ImplicitSurface({part}, blend); });
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  };
  rejects({"ear", Ellipsoid{Vec3::Zero(), Vec3(1, 0, 1)}}, 0.1, "ear: must have three finite radii > 0");
  rejects({"ear", Ellipsoid{Vec3::Zero(), Vec3(1, 1, 1), Vec3::Zero()}}, 0.1, "ear: must have a finite axis");
  rejects({"ear", Ellipsoid{Vec3(NAN, 0, 0), Vec3(1, 1, 1)}}, 0.1, "ear: must have a finite center");
  rejects({"leg", Limb{Vec3::Zero(), Vec3::Zero(), 1, 1}}, 0.1, "leg: must have two different ends");
  rejects({"leg", Limb{Vec3::Zero(), Vec3::UnitX(), 1, -1}}, 0.1, "leg: must have finite radii > 0");
  rejects({"leg", limb}, 0, "blend");
  CHECK(complaint_of([] { ImplicitSurface({}, 1); }).find("parts: must name at least one part") != std::string::npos);
}
