// The methods behind the forces at another scale and place: sums over pairs, searches for pairs, regions of space.
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/population/population.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// So many points in a cube of 2 m, on a grid that is not too fine for any origin.
Points scattered_in_a_cube(Index n) {
  Points x(3, n);
  unsigned long state = 7;
  for (double& entry : x.reshaped()) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    entry = (state >> 36) * 0x1p-27 - 1;
  }
  return x;
}

std::vector<Scale> far_scales() {
  std::vector<Scale> list;
  for (const int e : {-20, -13, -6, -1, 1, 7, 14, 20}) list.push_back({.length = e});
  list.push_back({.mass = -20});
  list.push_back({.mass = 20});
  list.push_back({.time = -20});
  list.push_back({.time = 20});
  return list;
}

}  // namespace

TEST_CASE("net: every way to do a Coulomb sum gives the same digits at every scale", "[sim][net]") {
  const Index n = 700;
  const Points x = scattered_in_a_cube(n);
  Vector charge(n);
  for (Index i = 0; i < n; ++i) charge[i] = 1e-6 * std::sin(1.0 + i);
  for (const CoulombMethod& method : coulomb_methods()) {
    const auto field = [&](const Scale& scale) {
      CoulombOptions options;
      options.method = method.name;
      const std::unique_ptr<const CoulombSum> sum = method.make(options);
      Vector potential = Vector::Zero(n);
      Points e = Points::Zero(3, n);
      const Vector q = scale.of("C") * charge;
      sum->make_plan(scale.places(x))->evaluate({.charge = &q}, {.potential = &potential, .field = &e});
      return std::pair<Vector, Points>(potential / scale.of("V"), e / scale.of("V/m"));
    };
    const auto [phi, e] = field({});
    for (const Scale& scale : far_scales()) {
      INFO(method.name << " at " << scale.text());
      const auto [phi_there, e_there] = field(scale);
      CHECK((phi_there - phi).cwiseAbs().maxCoeff() == 0);
      CHECK((e_there - e).cwiseAbs().maxCoeff() == 0);
    }
  }
}

TEST_CASE("net: every search finds the same pairs at every scale, and far from the origin", "[sim][net]") {
  const Points x = scattered_in_a_cube(500);
  std::vector<Scale> scales = far_scales();
  scales.push_back({.origin = Vec3(0x1p21, -0x1p20, 0x1p20)});
  for (const NeighborMethod& method : neighbor_methods()) {
    const auto list = [&](const Scale& scale) {
      return *method.make(scale.of("m") * 0.05)->find(scale.places(x), scale.of("m") * 0.3);
    };
    const NeighborList wanted = list({});
    REQUIRE(wanted.pairs() > 500);
    for (const Scale& scale : scales) {
      INFO(method.name << " at " << scale.text());
      CHECK(list(scale) == wanted);
    }
  }
}

TEST_CASE("net: every region is the same part of space at every scale, and far from the origin", "[sim][net]") {
  using Value = MapSettings::Value;
  const std::map<std::string, std::map<std::string, Value>> settings{
      {"point", {{"at", Vec3(0.2, 0.3, 0.5)}}},
      {"disc", {{"center", Vec3(0.5, 0, -0.25)}, {"normal", Vec3(1, 2, 2)}, {"radius", 0.75}}},
      {"sphere", {{"center", Vec3(0.5, 0, -0.25)}, {"radius", 0.75}}},
      {"box", {{"min", Vec3(-0.5, -0.25, 0)}, {"max", Vec3(0.5, 0.75, 1)}}},
      {"plane", {{"point", Vec3(0.25, 0, 0)}, {"normal", Vec3(1, 0, 2)}}}};
  const Points x = scattered_in_a_cube(300);
  std::vector<Scale> scales = far_scales();
  const Scale far{.origin = Vec3(0x1p21, -0x1p20, 0x1p20)};
  scales.push_back(far);
  for (const RegionInfo& info : regions()) {
    INFO("add settings for " << info.name << " to this list");
    REQUIRE(settings.count(info.name) == 1);
    const auto at = [&](const Scale& scale) {
      MapSettings map(1, settings.at(info.name), scale);
      return info.make(map);
    };
    const Region plain = at({});
    for (const Scale& scale : scales) {
      INFO(info.name << " at " << scale.text());
      const Region there = at(scale);
      const Points y = scale.places(x);
      for (Index k = 0; k < x.cols(); ++k) {
        const Vec3 here = x.col(k), moved = y.col(k), thirds = (here.array() + 1) / 2;
        if (plain.contains) CHECK(there.contains(moved) == plain.contains(here));
        if (plain.point) {
          const double off = (there.point(thirds) - scale.place(plain.point(thirds))).norm() / scale.of("m");
          CHECK(off <= (scale.origin.isZero(0) ? 0 : 4 * 0x1p-31));  // 4 roundings of a coordinate
        }
      }
    }
  }
}
