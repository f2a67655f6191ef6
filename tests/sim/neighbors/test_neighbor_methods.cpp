#include <limits>
#include <random>

#include "sim/core/error.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/neighbors/tree_search.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// Points drawn evenly from a box, the same at every call.
Points uniform_cloud(Index n, const Vec3& low, const Vec3& high, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  Points x(3, n);
  for (Index i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) x(a, i) = std::uniform_real_distribution<double>(low[a], high[a])(generator);
  return x;
}

Points joined(const Points& a, const Points& b) {
  Points x(3, a.cols() + b.cols());
  x << a, b;
  return x;
}

/// 7×7×7 points at exact multiples of the spacing.
Points lattice(double spacing) {
  Points x(3, 343);
  for (Index i = 0; i < 343; ++i) x.col(i) << spacing * (i % 7), spacing * (i / 7 % 7), spacing * (i / 49);
  return x;
}

/// Clusters of very different width around random places.
Points clustered_cloud() {
  Points all(3, 0);
  std::mt19937_64 generator(7);
  for (int k = 0; k < 12; ++k) {
    const double width = std::pow(10.0, -0.25 * k);
    const Points middle = uniform_cloud(1, Vec3::Constant(-5), Vec3::Constant(5), 100 + static_cast<unsigned>(k));
    const Points around = uniform_cloud(30, Vec3::Constant(-width), Vec3::Constant(width), static_cast<unsigned>(k));
    all = joined(all, around.colwise() + Vec3(middle.col(0)));
  }
  return all;
}

Points with_lost_points() {
  Points x = uniform_cloud(250, Vec3::Zero(), Vec3::Ones());
  x(1, 17) = std::numeric_limits<double>::quiet_NaN();
  x(0, 99) = std::numeric_limits<double>::infinity();
  x(2, 200) = -1e200;
  return x;
}

struct Cloud {
  std::string name;
  Points x;
  double cutoff;
};

std::vector<Cloud> clouds() {
  const Vec3 zero = Vec3::Zero(), one = Vec3::Ones();
  const Points cube = uniform_cloud(600, zero, one);
  return {
      {"uniform", cube, 0.17},
      {"uniform, the cut-off longer than the cube", cube.leftCols(250), 5},
      {"uniform, a tiny cut-off", cube, 0.03},
      {"clustered", clustered_cloud(), 0.4},
      {"a plane", uniform_cloud(600, Vec3(-3, 2, -3), Vec3(3, 2, 3)), 0.5},
      {"a line", uniform_cloud(600, Vec3(1, 1, 0), Vec3(1, 1, 40)), 0.5},
      {"a lattice whose spacing is the cut-off", lattice(0.1), 0.1},
      {"a lattice whose spacing is just below the cut-off", lattice(0.1), 0.1 + 1e-9},
      {"all in one point", Points::Constant(3, 250, 4.2), 1e-3},
      {"far from the origin", cube.colwise() + Vec3(3e7, -2e9, 5e8), 0.17},
      {"two far clusters", joined(cube, cube.colwise() + Vec3(2e6, -1e6, 3e5)), 0.17},
      {"two clusters farther than there are cells between", joined(cube, cube.colwise() + Vec3(1e13, 0, 0)), 0.17},
      {"some points lost", with_lost_points(), 0.2},
      {"two points", Points{{0, 0.1}, {0, 0}, {0, 0}}, 0.11},
  };
}

}  // namespace

TEST_CASE("neighbors: brute force finds the pairs that are closer than the cut-off", "[sim][neighbors]") {
  const Points x{{0, 3, 1, 0.5}, {0, 0, 0, 0}, {0, 0, 0, 0.1}};
  const auto list = make_neighbor_search("brute_force")->find(x, 1);  // 0 and 2 are 1 m apart: not closer
  CHECK(list->begin == std::vector<std::size_t>{0, 1, 1, 2, 2});
  CHECK(list->partner == std::vector<NeighborList::Number>{3, 3});
  CHECK(list->points() == 4);
  CHECK(list->pairs() == 2);
  CHECK(list->row(2)[0] == 3);
}

TEST_CASE("neighbors: every method finds the same list", "[sim][neighbors][equivalence]") {
  for (const Cloud& cloud : clouds()) {
    const auto want = make_neighbor_search("brute_force")->find(cloud.x, cloud.cutoff);
    if (cloud.name != "a lattice whose spacing is the cut-off") REQUIRE(want->pairs() > 0);
    for (const NeighborMethod& method : neighbor_methods())
      for (const double skin : {0.0, 0.3 * cloud.cutoff}) {
        INFO(method.name << " on " << cloud.name << ", skin " << skin);
        CHECK(*make_neighbor_search(method.name, skin)->find(cloud.x, cloud.cutoff) == *want);
      }
  }
}

TEST_CASE("neighbors: no points, one, and two too far apart have no pairs", "[sim][neighbors][equivalence]") {
  for (const NeighborMethod& method : neighbor_methods()) {
    INFO(method.name);
    const auto search = make_neighbor_search(method.name);
    for (const Index n : {0, 1, 2}) {
      const Points x = 3 * uniform_cloud(n, Vec3::Zero(), Vec3::Ones()).array() + 1;
      const auto list = search->find(x, 1e-6);
      CHECK(list->begin == std::vector<std::size_t>(static_cast<std::size_t>(n) + 1, 0));
      CHECK(list->partner.empty());
      CHECK(*search->candidates(x, 1e-6) == *list);
    }
    CHECK(search->find(Points::Constant(3, 3, std::numeric_limits<double>::quiet_NaN()), 1)->begin.size() == 4);
  }
}

TEST_CASE("neighbors: candidates hold every pair", "[sim][neighbors]") {
  for (const Cloud& cloud : clouds())
    for (const NeighborMethod& method : neighbor_methods()) {
      INFO(method.name << " on " << cloud.name);
      const auto found = make_neighbor_search("brute_force")->find(cloud.x, cloud.cutoff);
      const auto candidates = make_neighbor_search(method.name, 0.2 * cloud.cutoff)->candidates(cloud.x, cloud.cutoff);
      bool all = true;
      for (Index i = 0; i < found->points(); ++i) {
        const auto row = candidates->row(i), wanted = found->row(i);
        all = all && std::includes(row.begin(), row.end(), wanted.begin(), wanted.end());
      }
      CHECK(all);
    }
}

TEST_CASE("neighbors: memory does not grow with empty space", "[sim][neighbors]") {
  const Points here = uniform_cloud(500, Vec3::Zero(), Vec3::Ones());
  const auto cost = [&](const std::string& method, double gap) {
    SearchCost needed;
    make_neighbor_search(method)->find(joined(here, here.colwise() + Vec3(gap, gap, gap)), 0.1, &needed);
    REQUIRE(needed.bytes > 4000);  // 4 B for each point at least
    return needed;
  };
  for (const char* method : {"hashed_grid", "tree"}) {
    INFO(method);
    // How the second cloud falls into cells differs by the gap, empty space counts for nothing.
    const double near = cost(method, 10).bytes, far = cost(method, 1e7).bytes;
    CHECK(far == Approx(near).epsilon(0.1));
  }
  CHECK(cost("hashed_grid", 1e7).cells <= 1000);
  CHECK(static_cast<double>(cost("cell_list", 1e7).cells) <= CellListSearch::most_cells(1000));
}

TEST_CASE("neighbors: auto takes brute force for few points, and the hashed grid for empty boxes", "[sim][neighbors]") {
  const AutoSearch search;
  const Points cube = uniform_cloud(1000, Vec3::Zero(), Vec3::Ones());
  CHECK(search.choice(cube.leftCols(AutoSearch::crossover - 1), 0.1) == "brute_force");
  CHECK(search.choice(cube, 0.1) == "cell_list");
  CHECK(search.choice(joined(cube, cube.colwise() + Vec3(100, 100, 0)), 0.1) == "hashed_grid");
  SearchCost cost;
  search.find(cube, 0.1, &cost);
  CHECK(cost.method == "cell_list");  // of auto the search that it chose
}

TEST_CASE("neighbors: what makes no sense is rejected", "[sim][neighbors][error]") {
  CHECK_THROWS_WITH(make_neighbor_search("magic"), Catch::Contains("must be one of auto, brute_force, cell_list"));
  CHECK_THROWS_WITH(make_neighbor_search("tree", -1), Catch::Contains("skin: must be >= 0 m"));
  CHECK_THROWS_WITH(make_neighbor_search("tree")->find(Points::Zero(3, 2), 0),
                    Catch::Contains("cutoff: must be > 0 m"));
  CHECK_THROWS_AS(make_neighbor_search("tree")->find(Points::Zero(3, 2), std::nan("")), InvalidArgument);
}
