#include "sim/neighbors/spatial_order.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

/// Points drawn evenly from a box with these edges, in no order.
Points drawn_from_box(Index n, const Vec3& edges) {
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> place(0, 1);
  Points x(3, n);
  for (Index i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) x(a, i) = edges[a] * place(generator);
  return x;
}

double mean_distance_to_next(const Points& x) {
  return (x.rightCols(x.cols() - 1) - x.leftCols(x.cols() - 1)).colwise().norm().mean();
}

}  // namespace

TEST_CASE("spatial_order: neighbors in space become neighbors in memory, each point once", "[sim][neighbors]") {
  for (const Vec3& edges : {Vec3(30, 30, 30), Vec3(90, 0, 90), Vec3(2, 2, 2000)}) {
    INFO(edges.transpose());
    const Points x = drawn_from_box(30000, edges);
    const auto order = spatial_order(x, 1);
    REQUIRE(order.size() == 30000);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<NeighborList::Number> all(order.size());
    std::iota(all.begin(), all.end(), 0u);
    CHECK(sorted == all);
    const Points y = x(Eigen::all, order);
    CHECK(mean_distance_to_next(y) < 0.3 * mean_distance_to_next(x));  // four cubes along the longest edge
    CHECK(spatial_order(x, 1) == order);
  }
}

TEST_CASE("spatial_order: points that are few, in order already or lost keep their order", "[sim][neighbors]") {
  const Points x = drawn_from_box(order_from, Vec3(30, 30, 30));
  REQUIRE_FALSE(spatial_order(x, 1).empty());
  CHECK(spatial_order(x.leftCols(order_from - 1), 1).empty());
  CHECK(spatial_order(x, 30).empty());  // all within the cut-off of each other
  CHECK(spatial_order(Points::Constant(3, order_from, 4.2), 1).empty());
  const Points in_order = x(Eigen::all, spatial_order(x, 1));
  CHECK(spatial_order(in_order, 2).empty());
  for (const double lost : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e200}) {
    Points with_lost = x;
    with_lost(1, 17) = lost;
    CHECK(spatial_order(with_lost, 1).empty());
  }
}
