#include "sim/force/image_plane.hpp"

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/lone_force.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

TEST_CASE("image_plane: a charge is attracted by its own image, k q²/(4h²)", "[sim][force]") {
  const double q = 3e-6;
  for (const double h : {1e-3, 0.2, 5.0}) {
    const Vec3 normal = Vec3(2, -1, 2) / 3, point(0.4, 0.1, -0.2);
    const Model one = with_charges(Vector{{q}}, std::make_shared<ImagePlane>(point, 7 * normal));
    const Points x = point + h * normal + 0.6 * normal.unitOrthogonal();
    const Vec3 attraction = -coulomb_constant * q * q / (4 * h * h) * normal;
    CHECK((force_at(one, x).col(0) - attraction).norm() < 1e-11 * attraction.norm());
    CHECK(energy_at(one, x) == Approx(-coulomb_constant * q * q / (4 * h)).epsilon(1e-11));
  }
}

TEST_CASE("image_plane: charges feel the images as charges behind the plane, and a dielectric by its share",
          "[sim][force]") {
  const Vector q{{2e-6, -1e-6, 0, 3e-6}};
  const Points x = columns({{0, 0, 0.3}, {1, 0.2, 0.5}, {0.1, 0.1, -2}, {-0.3, 0.4, 1.2}});
  Points both(3, 8);
  both << x, Vec3(1, 1, -1).asDiagonal() * x;
  Vector doubled(8);
  doubled << q, -q;
  const auto sum = std::make_shared<DirectCoulombSum>();
  const Points total = force_at(with_charges(doubled, std::make_shared<CoulombForce>(sum)), both),
               own = force_at(with_charges(q, std::make_shared<CoulombForce>(sum)), x);
  const Points expected = total.leftCols(4) - own;
  const Points got = force_at(with_charges(q, std::make_shared<ImagePlane>(Vec3(0, 0, 0), Vec3(0, 0, 1))), x);
  CHECK((got - expected).norm() < 1e-13 * expected.norm());
  const double share = (5.0 - 1) / (5 + 1);
  CHECK((force_at(with_charges(q, std::make_shared<ImagePlane>(Vec3(0, 0, 0), Vec3(0, 0, 1), share)), x) - share * got)
            .norm() < 1e-15 * got.norm());
}

TEST_CASE("image_plane: charges behind the plane are rejected at the start and end a run later",
          "[sim][force][error]") {
  const Model one = with_charges(Vector{{1e-6}}, std::make_shared<ImagePlane>(Vec3(0, 0, 0), Vec3(0, 0, 1)));
  CHECK_THROWS_WITH(one.validate({0, columns({{1, 2, 0}}), Points::Zero(3, 1)}),
                    Catch::Contains("in front of the plane"));
  CHECK_NOTHROW(with_charges(Vector{{0}}, std::make_shared<ImagePlane>(Vec3(0, 0, 0), Vec3(0, 0, 1)))
                    .validate({0, columns({{1, 2, -3}}), Points::Zero(3, 1)}));
  const Trajectory run = simulate(one, {0, columns({{0, 0, 0.1}}), columns({{0, 0, -1}})},
                                  {.integrator = "velocity_verlet", .time_step = 0.03, .steps = 100, .stage = {}});
  CHECK(run.states.size() < 10);
  CHECK(run.status == StepStatus::Diverged);

  MapSettings none(1, {{"normal", Vec3(0, 0, 0)}});
  CHECK_THROWS_WITH(ImagePlane::make(none), Catch::Contains("normal: must have a direction"));
  const Index many = 10'001;
  CHECK_THROWS_WITH(with_charges(all(many, 1e-9), std::make_shared<ImagePlane>(Vec3(0, 0, 0), Vec3(0, 0, 1)))
                        .validate({0, Points::Ones(3, many), Points::Zero(3, many)}),
                    Catch::Contains("at most 10000 charges"));
}
