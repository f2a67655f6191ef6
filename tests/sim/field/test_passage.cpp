#include "sim/field/passage.hpp"

#include <random>

#include "sim/constraint/obstacle_contact.hpp"
#include "sim/constraint/sphere_contact.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/selected_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Two of radius 0.1 m, the first at rest, in a step in which the second moves so.
std::optional<Passage> of_two(const Vec3& from, const Vec3& to, double part = 1) {
  const Points a = columns({{0, 0, 0}, from}), b = columns({{0, 0, 0}, to});
  return find_passage({0, a, b, part}, all(2, 0.1));
}

std::optional<Passage> through(const Obstacle& obstacle, const Vec3& from, const Vec3& to, double radius = 0,
                               double part = 1) {
  const Points a = from, b = to;
  return find_passage({0, a, b, part}, all(1, radius), {0}, obstacle);
}

}  // namespace

TEST_CASE("passage: two spheres that fly through each other in a step are seen, and only those", "[sim][field]") {
  const auto met = of_two({-1, 0.05, 0}, {1, 0.05, 0});
  REQUIRE(met);
  CHECK(met->i == 0);
  CHECK(met->other == 1);
  CHECK(met->way == Approx(2));
  CHECK(met->size == Approx(0.2));
  CHECK(of_two({-1, 0.199, 0}, {1, 0.199, 0}));
  CHECK_FALSE(of_two({-1, 0.201, 0}, {1, 0.201, 0}));   // beside
  CHECK_FALSE(of_two({-1, 0, 0}, {-0.25, 0, 0}));       // not there yet
  CHECK_FALSE(of_two({0.25, 0, 0}, {1, 0, 0}));         // there before
  CHECK_FALSE(of_two({-0.21, 0, 0}, {-0.05, 0, 0}));    // the step sees that they overlap
  CHECK(of_two({-0.5, 0, 0}, {0.5, 0, 0}, 0.3));        // in four looks, still too far
  CHECK_FALSE(of_two({-0.5, 0, 0}, {0.5, 0, 0}, 0.1));  // in ten looks
  const Points a = columns({{0, 0, 0}, {-1, 0, 0}}), b = columns({{0, 0, 0}, {1, 0, 0}});
  CHECK_FALSE(find_passage({0, a, b, 1}, Vector{{0.1, 0.0}}));  // a point meets no sphere
}

TEST_CASE("passage: of many spheres, that of all pairs that flew farthest", "[sim][field]") {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr Index n = 30;
  int found = 0;
  for (int k = 0; k < 20; ++k) {
    Points a(3, n), b(3, n);
    Vector radius(n);
    for (Index i = 0; i < n; ++i) {
      for (Index c = 0; c < 3; ++c) {
        a(c, i) = number(generator);
        b(c, i) = a(c, i) + 0.15 * number(generator);
      }
      radius[i] = i % 7 == 0 ? 0 : 0.03 * (1.2 + number(generator));
    }
    double most = 0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) {
        if (radius[i] == 0 || radius[j] == 0) continue;
        const double size = radius[i] + radius[j];
        const Vec3 from = a.col(i) - a.col(j), to = b.col(i) - b.col(j);
        double least = from.norm();
        for (int s = 1; s <= 400; ++s) least = std::min(least, (from + s / 400.0 * (to - from)).norm());
        if ((to - from).norm() > size && least < size) most = std::max(most, (to - from).norm() / size);
      }
    const auto farthest = find_passage({0, a, b, 1}, radius);
    found += farthest.has_value();
    CHECK((farthest ? farthest->way / farthest->size : 0) == Approx(most).epsilon(1e-3));
  }
  CHECK(found > 3);
}

TEST_CASE("passage: a particle that flies through a thin block or a small sphere is seen", "[sim][field]") {
  const BoxObstacle block("box", {0.5, -1, -1}, {0.51, 1, 1}, Side::Outside);
  CHECK(through(block, {0.48, 0, 0}, {0.53, 0, 0}));
  CHECK(through(block, {0.48, 0, 0}, {0.505, 0, 0}));       // ends in it
  CHECK_FALSE(through(block, {0.4, 0, 0}, {0.45, 0, 0}));   // before it
  CHECK_FALSE(through(block, {0.48, 2, 0}, {0.53, 2, 0}));  // above it
  CHECK(through(block, {0.4, 1.005, 0}, {0.6, 1.005, 0}, 0.01));
  CHECK_FALSE(through(block, {0.4, 1.02, 0}, {0.6, 1.02, 0}, 0.01));
  CHECK_FALSE(through(block, {0.499, 0, 0}, {0.505, 0, 0}));        // less than it is thick
  CHECK_FALSE(through(block, {0.48, 0, 0}, {0.53, 0, 0}, 0, 0.1));  // in ten looks
  CHECK_FALSE(through(BoxObstacle("box", {0, 0, 0}, {1, 1, 1}, Side::Inside), {0.5, 0.5, 0.5}, {9, 0.5, 0.5}));
  const SphereObstacle ball("sphere", {1, 0, 0}, 0.1, Side::Outside);
  CHECK(through(ball, {0, 0.09, 0}, {2, 0.09, 0}));
  CHECK_FALSE(through(ball, {0, 0.11, 0}, {2, 0.11, 0}));
  CHECK_FALSE(through(PlaneObstacle("plane", {0, 0, 0}, {0, 0, 1}), {0, 0, 1}, {0, 0, -5}));  // nothing is behind
}

TEST_CASE("passage: every force and constraint that can be flown through says so", "[sim][force][constraint]") {
  const Points a = columns({{9, 9, 9}, {0, 0, 0}, {-1, 0.01, 0}}), b = columns({{9, 9, 9}, {0, 0, 0}, {1, 0.01, 0}});
  const Flight flight{0, a, b, 1};
  const auto model = [](Terms terms, std::vector<std::shared_ptr<Constraint>> constraints) {
    return Model({.particles = 3, .springs = {}, .held = {}}, all(3, 1), all(3, 0), std::move(terms),
                 std::move(constraints));
  };
  const auto made = [](const std::string& name, std::map<std::string, MapSettings::Value> values) {
    MapSettings settings(3, std::move(values));
    for (const ForceInfo& info : forces())
      if (info.name == name) return info.make(settings);
    return Terms{};
  };
  const auto spheres = made("contact_penalty", {{"radius", all(3, 0.1)}, {"stiffness", 1.0}});
  const auto block = made("box_penalty", {{"min", Vec3(0.5, -1, -1)},
                                          {"max", Vec3(0.51, 1, 1)},
                                          {"side", std::string("outside")},
                                          {"radius", all(3, 0.0)},
                                          {"stiffness", 1.0}});
  for (const auto& term : {spheres[0], block[0]}) {
    const Model plain = model({term}, {});
    const auto found = plain.terms()[0]->as<BeginsAtTouch>()->find_passage(plain, flight);
    REQUIRE(found);
    CHECK(std::max(found->i, found->other) == 2);
  }
  const Model selected =
      model({std::make_shared<SelectedForce>(
                std::shared_ptr<ForceTerm>(made("contact_penalty", {{"radius", all(3, 0.1)}, {"stiffness", 1.0}})[0]),
                std::vector<Index>{1, 2})},
            {});
  const auto found = selected.terms()[0]->as<BeginsAtTouch>()->find_passage(selected, flight);
  REQUIRE(found);
  CHECK(found->i == 1);
  CHECK(found->other == 2);
  const Model hard = model({}, {std::make_shared<SphereContact>(all(3, 0.1), ContactLaw{}),
                                std::make_shared<BoxContact>(Vec3(0.5, -1, -1), Vec3(0.51, 1, 1), Side::Outside,
                                                             ObstacleOptions{{0, 1, 2}, all(3, 0.0), ContactLaw{}})});
  for (const auto& constraint : hard.constraints()) CHECK(constraint->as<ContactRows>()->find_passage(hard, flight));
}
