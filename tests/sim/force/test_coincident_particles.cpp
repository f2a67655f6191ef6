#include "sim/force/closest_approach.hpp"

#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball::sim;

TEST_CASE("coincident particles: exactly those at one point are found, wherever they stand", "[sim][force]") {
  // A grid: coordinates that repeat a hundred times, and have few digits.
  Points x(3, 1000);
  for (Index i = 0; i < 1000; ++i) x.col(i) = Vec3(i % 10, i / 10 % 10, i / 100) - Vec3(4, 5, 6);
  std::vector<Index> all(1000);
  std::iota(all.begin(), all.end(), Index{0});
  CHECK_FALSE(find_coincident(x, all));
  std::mt19937 random(3);
  for (int k = 0; k < 50; ++k) {
    const Index a = random() % 1000, b = random() % 1000;
    if (a == b) continue;
    Points moved = x;
    moved.col(b) = x.col(a);
    std::ranges::shuffle(all, random);
    const auto found = find_coincident(moved, all);
    REQUIRE(found);
    CHECK(found->i == std::min(a, b));
    CHECK(found->j == std::max(a, b));
    moved(1, b) = std::nextafter(moved(1, b), 100.0);
    CHECK_FALSE(find_coincident(moved, all));
  }
}

TEST_CASE("coincident particles: only those named count, and both zeros are one", "[sim][force]") {
  Points x(3, 3);
  x << 0.0, 1, -0.0, 2, 1, 2, 0, 1, -0.0;
  CHECK(find_coincident(x, {0, 1, 2}));
  CHECK_FALSE(find_coincident(x, {0, 1}));
  CHECK_FALSE(find_coincident(x, {}));
}
