#include "sim/coulomb/fmm/octree.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "datasets/mesh/point_set.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using namespace pithball::sim::fmm;

namespace {

/// Expansions for nothing: trees as deep as they go.
constexpr Costs deep{.translation = 0.5, .point = 2}, usual{};

Points uniform(Index n, const Vec3& extent) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> u(-1, 1);
  return Points::NullaryExpr(3, n, [&](Index a, Index) { return extent[a] * u(random); });
}

/// Groups of `each` points of sizes from 1 down to 1e-8.
Points clusters(Index groups, Index each) {
  const Points x = uniform(groups * each, Vec3::Ones()), centers = uniform(groups, Vec3::Ones());
  Points points(3, x.cols());
  for (Index i = 0; i < x.cols(); ++i)
    points.col(i) = centers.col(i / each) + std::pow(10.0, -8.0 * double(i / each) / double(groups)) * x.col(i);
  return points;
}

/// Shapes with what is awkward about them.
std::map<std::string, Points> shapes() {
  std::map<std::string, Points> all;
  for (const std::string set : {"torus", "sphere", "cube", "lattice", "clustered"})
    all[set] = pithball::datasets::make_point_set(set, 400);
  all["line"] = uniform(400, Vec3(1, 0, 0));
  all["oblique line"] = Vec3(1, -2, 3) * uniform(300, Vec3::Ones()).row(0);
  all["plane"] = uniform(400, Vec3(1, 0, 1));
  all["grid on box faces"] = (4 * uniform(500, Vec3::Ones())).array().round();  // many duplicates, too
  all["clusters"] = clusters(8, 50);
  all["small clusters"] = clusters(80, 5);  // short runs of equal upper digits
  all["duplicates"] = all["cube"];
  all["duplicates"].leftCols(200).colwise() = Vec3(0.1, 0.2, 0.3);
  all["one place"] = Points::Constant(3, 300, 0.7);
  all["far from the origin"] = uniform(300, Vec3::Ones()).array() + 1e9;
  for (Index n : {0, 1, 2, 3}) all["n = " + std::to_string(n)] = uniform(n, Vec3::Ones());
  return all;
}

/// How often each ordered pair (target, source) of points meets in the lists; points by number, not by tree order.
Eigen::MatrixXi meetings(const Octree& tree, Index n) {
  Eigen::MatrixXi count = Eigen::MatrixXi::Zero(n, n);
  const auto meet = [&](const Box& target, const Box& source) {
    for (Index i = target.begin; i < target.end; ++i)
      for (Index j = source.begin; j < source.end; ++j) ++count(tree.order()[i], tree.order()[j]);
  };
  for (std::size_t leaf = 0; leaf < tree.leaves().size(); ++leaf)
    for (int source : tree.near(leaf)) meet(tree.box(tree.leaves()[leaf]), tree.box(source));
  for (const Octree::Pair& pair : tree.far()) meet(tree.box(pair.target), tree.box(pair.source));
  for (const Octree::Pair& pair : tree.uneven()) {
    meet(tree.box(pair.target), tree.box(pair.source));
    meet(tree.box(pair.source), tree.box(pair.target));
  }
  return count;
}

/// How far apart the surfaces of two boxes are, along the axis where they are farthest.
double gap(const Octree& tree, const Box& a, const Box& b) {
  return (tree.center(a) - tree.center(b)).cwiseAbs().maxCoeff() - (tree.side(a) + tree.side(b)) / 2;
}

}  // namespace

TEST_CASE("octree: every ordered pair of points meets exactly once", "[sim][coulomb][fmm]") {
  for (const auto& [shape, x] : shapes())
    for (const Costs& costs :
         {deep, usual, Costs{.translation = 20, .point = 8}, Costs{.translation = 1, .point = 1e9}}) {
      const Octree tree(x, costs);
      CAPTURE(shape, costs.translation, costs.point, tree.deepest(), tree.far().size(), tree.uneven().size());
      CHECK((meetings(tree, x.cols()).array() == 1).all());
    }
}

TEST_CASE("octree: the trees of these tests are deep and use all lists", "[sim][coulomb][fmm]") {
  const auto all = shapes();
  for (const std::string shape : {"torus", "cube", "line", "plane", "clusters", "duplicates"}) {
    const Octree tree(all.at(shape), deep);
    CAPTURE(shape);
    CHECK(tree.deepest() >= 3);
    CHECK_FALSE(tree.far().empty());
  }
  CHECK(Octree(all.at("clusters"), deep).deepest() > 15);
  // With few points all uneven pairs are cheaper directly, unless expansions cost nothing.
  const Octree free(all.at("clusters"), Costs{.translation = 0.5, .point = 0});
  CHECK_FALSE(free.uneven().empty());
  CHECK((meetings(free, all.at("clusters").cols()).array() == 1).all());
}

TEST_CASE("octree: boxes that interact through expansions do not touch", "[sim][coulomb][fmm]") {
  for (const auto& [shape, x] : shapes()) {
    const Octree tree(x, Costs{.translation = 0.5, .point = 0});
    CAPTURE(shape);
    for (const Octree::Pair& pair : tree.far()) {
      const Box &a = tree.box(pair.target), &b = tree.box(pair.source);
      REQUIRE(a.level == b.level);
      REQUIRE(a.level >= Octree::first_far_level);
      int largest = 0;
      for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a.cell[k] - b.cell[k]));
      CHECK(largest >= 2);  // a whole box between them
      CHECK(largest <= 3);  // as far as translations reach
    }
    for (const Octree::Pair& pair : tree.uneven()) {
      const Box &small = tree.box(pair.target), &large = tree.box(pair.source);
      REQUIRE(large.leaf());
      REQUIRE(small.level > large.level);
      CHECK(gap(tree, small, large) > 0.99 * tree.side(small));
    }
  }
}

TEST_CASE("octree: points lie in their boxes, children in their parents", "[sim][coulomb][fmm]") {
  for (const auto& [shape, x] : shapes()) {
    const Octree tree(x, deep);
    CAPTURE(shape);
    if (shape != "far from the origin") CHECK(tree.crossings(x) == 0);  // there, a rounding is 1e-7
    CHECK(std::set<Index>(tree.order().begin(), tree.order().end()).size() == static_cast<std::size_t>(x.cols()));
    for (int b = 0; b < static_cast<int>(tree.boxes().size()); ++b) {
      const Box& box = tree.box(b);
      CHECK(b >= tree.level_begin(box.level));
      CHECK(b < tree.level_begin(box.level + 1));
      for (Index k = box.begin; k < box.end; ++k) {
        const Vec3 from_center = x.col(tree.order()[k]) - tree.center(box);
        CHECK(from_center.cwiseAbs().maxCoeff() <= tree.side(box) / 2 * (1 + 1e-9) + 1e-16 * x.norm());
      }
      if (box.leaf()) continue;
      Index next = box.begin;
      for (int c = box.first_child; c < box.first_child + box.children; ++c) {
        const Box& child = tree.box(c);
        CHECK(child.parent == b);
        CHECK(child.level == box.level + 1);
        CHECK(child.begin == next);
        CHECK(child.size() > 0);
        for (std::size_t a = 0; a < 3; ++a) CHECK(child.cell[a] / 2 == box.cell[a]);
        next = child.end;
      }
      CHECK(next == box.end);
    }
  }
}

TEST_CASE("octree: leaves begin at whole groups of places", "[sim][coulomb][fmm]") {
  for (const auto& [shape, x] : shapes()) {
    const Octree tree(x, deep);
    CAPTURE(shape);
    CHECK(tree.places() % Octree::group == 0);
    Index next = 0;
    for (int leaf : tree.leaves()) {
      const Box& box = tree.box(leaf);
      CHECK(box.place_begin == next);
      CHECK(box.place_begin % Octree::group == 0);
      CHECK(box.place_end % Octree::group == 0);
      CHECK(box.place_end - box.place_begin < box.size() + Octree::group);
      for (Index k = box.begin; k < box.end; ++k) CHECK(tree.place()[k] == box.place_begin + k - box.begin);
      next = box.place_end;
    }
    CHECK(tree.places() == next);
    for (const Box& box : tree.boxes())
      if (!box.leaf()) {
        CHECK(box.place_begin == tree.box(box.first_child).place_begin);
        CHECK(box.place_end == tree.box(box.first_child + box.children - 1).place_end);
      }
  }
}

TEST_CASE("octree: the same for any number of threads", "[sim][coulomb][fmm]") {
  // Enough to be worth threads; more than one block of the sort.
  for (const Index points : {30'000, 300'000}) {
    const Points x = pithball::datasets::make_point_set("clustered", points);
    const auto lists = [&](int threads) {
      const pithball::tests::ThreadLimit limit(threads);
      const Octree tree(x, usual);
      CHECK(tree.crossings(x) == 0);
      std::vector<int> all;
      for (std::size_t leaf = 0; leaf < tree.leaves().size(); ++leaf) {
        all.push_back(tree.leaves()[leaf]);
        all.insert(all.end(), tree.near(leaf).begin(), tree.near(leaf).end());
      }
      for (const auto& pairs : {tree.far(), tree.uneven()})
        for (const Octree::Pair& pair : pairs) all.insert(all.end(), {pair.target, pair.source});
      return std::pair(tree.order(), all);
    };
    const auto one = lists(1);
    CHECK(one.second.size() > 100000);
    CHECK(std::set(one.first.begin(), one.first.end()).size() == static_cast<std::size_t>(points));
    for (int threads : {2, 3, 7}) CHECK((lists(threads) == one));
  }
}

TEST_CASE("octree: points that are not finite are kept and counted as crossings", "[sim][coulomb][fmm]") {
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Points x = uniform(300, Vec3::Ones());
  x(1, 17) = nan;
  x(0, 30) = infinity;
  x(2, 200) = -infinity;
  x.col(299).setConstant(nan);
  const Octree tree(x, deep);
  CHECK(tree.deepest() >= 3);  // they do not spoil the box of the others
  CHECK(tree.crossings(x) == 4);
  CHECK((meetings(tree, 300).array() == 1).all());
  for (double bad : {nan, infinity, -infinity}) {
    const Octree nothing(Points::Constant(3, 20, bad), deep);
    CHECK((meetings(nothing, 20).array() == 1).all());
  }
  // So far apart that their distance overflows.
  Points far = uniform(20, Vec3::Ones());
  far.col(3).setConstant(-1.7e308);
  far.col(4).setConstant(1.7e308);
  CHECK((meetings(Octree(far, deep), 20).array() == 1).all());
}

TEST_CASE("octree: crossings are the points that left their leaf", "[sim][coulomb][fmm]") {
  Points x = uniform(500, Vec3::Ones());
  const Octree tree(x, deep);
  REQUIRE(tree.crossings(x) == 0);
  for (Index i = 0; i < 7; ++i) x.col(50 * i) += Vec3(5, 0, 0);
  CHECK(tree.crossings(x) == 7);
  x(0, 60) = std::numeric_limits<double>::quiet_NaN();
  CHECK(tree.crossings(x) == 8);
  // To the rim of its box and beyond.
  const Box& box = tree.box(tree.leaves().front());
  const Index i = tree.order()[box.begin];
  x.col(i) = tree.center(box) + 0.499 * Vec3::Constant(tree.side(box));
  const Index inside = tree.crossings(x);
  x.col(i) = tree.center(box) + Vec3(0, 0, 0.501 * tree.side(box));
  CHECK(tree.crossings(x) == inside + 1);
}

TEST_CASE("octree: no box is smaller than asked for", "[sim][coulomb][fmm]") {
  for (const std::string shape : {"cube", "clusters", "one place"}) {
    const Points x = shapes().at(shape);
    for (double min_side : {0.1, 0.5, 3.0, 100.0}) {
      const Octree tree(x, deep, min_side);
      CAPTURE(shape, min_side, tree.deepest());
      for (const Box& box : tree.boxes())
        if (box.level > 0) CHECK(tree.side(box) >= min_side);
      CHECK((meetings(tree, x.cols()).array() == 1).all());
    }
  }
  const Octree finer(shapes().at("cube"), deep), coarser(shapes().at("cube"), deep, 0.5);
  CHECK(coarser.deepest() > 0);
  CHECK(finer.deepest() > coarser.deepest());
}

TEST_CASE("octree: many equal points end at the deepest level, quickly", "[sim][coulomb][fmm]") {
  for (const Costs& costs : {deep, usual}) {
    const Octree tree(Points::Constant(3, 20000, -0.3), costs);
    CHECK(tree.deepest() <= Octree::max_level);
    CHECK(tree.boxes().size() <= 1 + Octree::max_level);
    CHECK(tree.leaves().size() == 1);
  }
}
