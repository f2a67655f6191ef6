#include "datasets/mesh/point_set.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using datasets::make_charges;
using datasets::make_point_set;
using sim::Index;
using sim::Points;

namespace {

/// Distance of each point to its nearest neighbor, by brute force.
std::vector<double> nearest_distances(const Points& x) {
  std::vector<double> nearest;
  for (Index i = 0; i < x.cols(); ++i) {
    sim::Vector distance = (x.colwise() - x.col(i)).colwise().norm();
    distance[i] = INFINITY;
    nearest.push_back(distance.minCoeff());
  }
  return nearest;
}

}  // namespace

TEST_CASE("point sets: tori have the numbers of points that published timings are for", "[datasets][point_set]") {
  for (const auto& [asked, got] :
       std::vector<std::pair<Index, Index>>{{10000, 9945}, {20000, 19995}, {50000, 49932}, {100000, 99981}}) {
    CHECK(make_point_set("torus", asked).cols() == got);
    CHECK(make_point_set("torus", got).cols() == got);
  }
  CHECK(make_point_set("torus", 1000000).cols() == 999530);
  CHECK(make_point_set("torus", 999530).cols() == 999530);
}

TEST_CASE("point sets: points differ, are about as many as asked, and the same each time", "[datasets][point_set]") {
  for (const auto& info : datasets::point_sets())
    for (const Index n : {1, 2, 145, 2000}) {
      const Points x = make_point_set(info.name, n);
      CAPTURE(info.name, n, x.cols());
      CHECK(x.allFinite());
      CHECK(x == make_point_set(info.name, n));
      if (n >= 145) CHECK(std::abs(static_cast<double>(x.cols() - n)) < 0.08 * static_cast<double>(n));
      const auto nearest = nearest_distances(x);
      CHECK(*std::min_element(nearest.begin(), nearest.end()) > 0);
    }
}

TEST_CASE("point sets: the even ones keep neighbors apart, the clustered one does not", "[datasets][point_set]") {
  for (const auto& info : datasets::point_sets()) {
    const auto nearest = nearest_distances(make_point_set(info.name, 2000));
    const auto [low, high] = std::minmax_element(nearest.begin(), nearest.end());
    CAPTURE(info.name, *low, *high);
    const bool even = info.name != "cube" && info.name != "clustered";
    CHECK((*high < 4 * *low) == even);
    if (info.name == "clustered") CHECK(*high > 1e4 * *low);
  }
}

TEST_CASE("charges: one sign, both signs, and a total of zero", "[datasets][point_set]") {
  const Index n = 1001;
  const sim::Vector one = make_charges("one", n), mixed = make_charges("mixed", n),
                    neutral = make_charges("neutral", n);
  CHECK(one.minCoeff() > 0);
  CHECK(mixed.cwiseAbs() == one);
  CHECK((mixed.array() < 0).count() > 400);
  CHECK(std::abs(mixed.sum()) > 1e-3 * one.sum());
  CHECK(std::abs(neutral.sum()) < 1e-14 * one.sum());
  CHECK(make_charges("neutral", 0).size() == 0);
}

TEST_CASE("point sets: unknown names are rejected", "[datasets][point_set][error]") {
  CHECK_THROWS_AS(make_point_set("doughnut", 10), InvalidArgument);
  CHECK_THROWS_AS(make_point_set("torus", -1), InvalidArgument);
  CHECK_THROWS_AS(make_charges("none", 10), InvalidArgument);
}
