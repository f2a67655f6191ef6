#include "sim/population/population.hpp"

#include "sim/core/counter_noise.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Region region(const std::string& name, std::map<std::string, tests::MapSettings::Value> values) {
  tests::MapSettings settings(1, std::move(values));
  for (const RegionInfo& info : regions())
    if (info.name == name) {
      Region made = info.make(settings);
      CHECK(static_cast<bool>(made.point) == info.emits);
      CHECK(static_cast<bool>(made.contains) == info.takes);
      return made;
    }
  throw std::logic_error("no region " + name);
}

/// Mean and covariance of many of its points.
std::pair<Vec3, Mat3> moments(const Region& region) {
  const CounterNoise noise(1, 1);
  constexpr int count = 20000;
  Vec3 mean = Vec3::Zero();
  Mat3 square = Mat3::Zero();
  for (std::uint64_t k = 0; k < count; ++k) {
    const Vec3 x = region.point({noise.uniform(k, 0, 0), noise.uniform(k, 0, 1), noise.uniform(k, 0, 2)});
    if (region.contains) CHECK(region.contains(x));
    mean += x / count;
    square += x * x.transpose() / count;
  }
  return {mean, square - mean * mean.transpose()};
}

}  // namespace

// Of 20,000 points the standard error of a mean is 0.007 of the spread, that of a variance 0.01 of it: bounds are four
// of these. The numbers are the same in every run.
TEST_CASE("region: points are even over the region", "[sim][population]") {
  const Vec3 c(1, -2, 3);
  const auto [sphere_mean, sphere] = moments(region("sphere", {{"center", c}, {"radius", 2.0}}));
  CHECK((sphere_mean - c).norm() < 0.05);
  CHECK((sphere - 4.0 / 5 * Mat3::Identity()).norm() < 0.06);  // R²/5 along each axis

  const auto [box_mean, box] = moments(region("box", {{"min", Vec3(0, 0, 0)}, {"max", Vec3(1, 2, 3)}}));
  CHECK((box_mean - Vec3(0.5, 1, 1.5)).norm() < 0.04);
  CHECK((box - Mat3(Vec3(1, 4, 9).asDiagonal()) / 12).norm() < 0.05);

  const Vec3 n = Vec3(1, 2, 2) / 3;
  const auto [disc_mean, disc] = moments(region("disc", {{"center", c}, {"normal", Vec3(2, 4, 4)}, {"radius", 2.0}}));
  CHECK((disc_mean - c).norm() < 0.04);
  CHECK((disc - 1.0 * (Mat3::Identity() - n * n.transpose())).norm() < 0.05);  // R²/4 in the plane
  CHECK(std::abs(n.dot(disc * n)) < 1e-12);

  const auto [point_mean, point] = moments(region("point", {{"at", c}}));
  CHECK((point_mean - c).norm() < 1e-10);  // rounding of the sum
  CHECK(point.norm() < 1e-10);
}

TEST_CASE("region: a plane's is what lies behind it", "[sim][population]") {
  const Region behind = region("plane", {{"point", Vec3(0, 0, 1)}, {"normal", Vec3(0, 0, 5)}});
  CHECK(behind.contains({3, 4, 0.99}));
  CHECK_FALSE(behind.contains({3, 4, 1.01}));
}

TEST_CASE("region: what has no extent is rejected", "[sim][population][error]") {
  CHECK_THROWS_WITH((region("sphere", {{"center", Vec3(0, 0, 0)}, {"radius", 0.0}})), Catch::Contains("radius"));
  CHECK_THROWS_WITH((region("disc", {{"center", Vec3(0, 0, 0)}, {"radius", 1.0}, {"normal", Vec3(0, 0, 0)}})),
                    Catch::Contains("normal"));
  CHECK_THROWS_WITH((region("box", {{"min", Vec3(0, 0, 0)}, {"max", Vec3(1, 0, 1)}})), Catch::Contains("max"));
}
