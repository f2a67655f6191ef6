#include "sim/force/chain_bending.hpp"

#include <Eigen/Geometry>

#include "sim/force/electric_field.hpp"
#include "sim/run/equilibrium.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/lone_force.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

std::vector<Spring> chain_of(Index segments) {
  std::vector<Spring> edges;
  for (Index i = 0; i < segments; ++i) edges.push_back({i, i + 1});
  return edges;
}

/// A straight rod along x of equal segments with B = 3 N m², hardly extensible, whose first segment is held: its clamp
/// is in the middle of that, at x = 0. The free length is 2 m.
struct Cantilever {
  static constexpr double length = 2, bending_stiffness = 3;
  Points x;
  std::vector<Spring> edges;
  double h;

  explicit Cantilever(Index segments) : x(3, segments + 1), edges(chain_of(segments)), h(length / (segments - 0.5)) {
    for (Index i = 0; i <= segments; ++i) x.col(i) = Vec3((i - 0.5) * h, 0, 0);
  }
  Terms terms() const {
    return {springs(edges.size(), 1e4 * bending_stiffness / (length * length) / h, h),
            std::make_shared<ChainBending>(bending_stiffness, x, edges, false)};
  }
  /// A load at the tip, along z.
  Model loaded(double force) const { return loaded(force, terms()); }
  Model loaded(double force, Terms all_terms) const {
    Vector charge = all(x.cols(), 0);
    charge[x.cols() - 1] = 1;
    all_terms.push_back(std::make_shared<ElectricField>(uniform(Vec3(0, 0, force))));
    return {
        {.particles = x.cols(), .springs = edges, .held = {{0, {}}, {1, {}}}}, all(x.cols(), 0.1), charge, all_terms};
  }
};

/// A bent chain of three particles, with edges 1 and 2 m long and a turn by φ.
Points turned(double phi) { return columns({{-1, 0, 0}, {0, 0, 0}, {2 * std::cos(phi), 2 * std::sin(phi), 0}}); }
Model lone_turn(const Points& rest, bool straight) {
  return {{.particles = 3, .springs = {}, .held = {}},
          all(3, 1),
          all(3, 0),
          {std::make_shared<ChainBending>(5, rest, chain_of(2), straight)}};
}

}  // namespace

TEST_CASE("chain_bending: the energy is that of its equation, and zero at rest", "[sim][force]") {
  const double phi = 0.7;
  CHECK(energy_at(lone_turn(turned(0), false), turned(phi)) ==
        Approx(5 / (2 * 1.5) * std::pow(2 * std::tan(phi / 2), 2)).epsilon(1e-14));
  CHECK(energy_at(lone_turn(turned(phi), true), turned(phi)) == energy_at(lone_turn(turned(0), false), turned(phi)));
  const Model bent = lone_turn(turned(phi), false);
  CHECK(energy_at(bent, turned(phi)) == Approx(0).margin(1e-28));
  CHECK(force_at(bent, turned(phi)).norm() < 1e-13);
  const double other = 1.1;
  CHECK(energy_at(bent, turned(other)) ==
        Approx(5 / (2 * 1.5) * std::pow(2 * std::tan(other / 2) - 2 * std::tan(phi / 2), 2)).epsilon(1e-13));
  // The energy is that of the angle alone: a longer side does not change it, nor does a motion of the whole.
  Points longer = turned(phi);
  longer.col(2) *= 1.7;
  const Mat3 rotation = Eigen::AngleAxisd(0.9, Vec3(1, 2, -2).normalized()).toRotationMatrix();
  for (const Points& same : {longer, Points((rotation * turned(phi)).colwise() + Vec3(3, -4, 5))})
    CHECK(energy_at(lone_turn(turned(0), false), same) ==
          Approx(energy_at(lone_turn(turned(0), false), turned(phi))).epsilon(1e-13));
}

TEST_CASE("chain_bending: force and stiffness are regular at the straight chain", "[sim][force]") {
  const Model model = lone_turn(turned(0), false);
  CHECK(force_at(model, turned(0)).norm() == 0);
  // B/l̄ φ² /2 with φ = z (1/a + 1/b) where the middle goes sideways by z.
  const double z = 1e-6, slope = 1 + 1 / 2.0;
  Points x = turned(0);
  x(2, 1) = z;
  CHECK(force_at(model, x)(2, 1) == Approx(-5 / 1.5 * slope * slope * z).epsilon(1e-9));
}

TEST_CASE("chain_bending: a cantilever bends as Euler and Bernoulli say, with errors of second order",
          "[sim][force][equilibrium]") {
  const double load = 1e-4 * Cantilever::bending_stiffness / std::pow(Cantilever::length, 2);
  const double expected = load * std::pow(Cantilever::length, 3) / (3 * Cantilever::bending_stiffness);
  double before = 0;
  for (const Index segments : {10, 20, 40}) {
    const Cantilever rod(segments);
    const Equilibrium rest = find_equilibrium(rod.loaded(load), {0, rod.x, Points::Zero(3, rod.x.cols())});
    INFO(segments << " segments: " << rest.failure);
    REQUIRE(rest.found());
    const double error = std::abs(rest.x(2, segments) / expected - 1);
    INFO("relative error " << error);
    if (segments == 40) CHECK(error < 1e-3);
    if (before > 0) CHECK(std::log2(before / error) == Approx(2).margin(0.15));
    before = error;
  }
}

TEST_CASE("chain_bending: chains that adjoin bend as one", "[sim][force]") {
  const Points x = columns({{0, 0, 0}, {1, 0.2, 0}, {1.9, 0, 0.3}, {3, -0.4, 0}, {3.6, 0.1, 0.2}, {4.9, 0, 0}});
  Points bent = x;
  bent.row(1) += Eigen::RowVectorXd{{0, 0.3, -0.1, 0.2, 0.5, -0.4}};
  const std::vector<Spring> edges = chain_of(5);
  for (const double size : {1e-9, 1.0, 1e9})
    for (const bool straight : {false, true})
      for (const Index first : {2, 3}) {
        INFO(size << " m, " << (straight ? "straight" : "drawn") << ", the first of " << first);
        const auto chain = [&](Index from, Index to) {
          return std::make_shared<ChainBending>(5, size * x, std::vector(edges.begin() + from, edges.begin() + to),
                                                straight);
        };
        Terms parts{chain(0, first), chain(first, 5)};
        for (const auto& joint : make_chain_joints(parts, size * x)) parts.push_back(joint);
        REQUIRE(parts.size() == 3);
        const auto model = [](const Terms& terms) {
          return Model({.particles = 6, .springs = {}, .held = {}}, all(6, 1), all(6, 0), terms);
        };
        const Points whole = force_at(model({chain(0, 5)}), size * bent);
        CHECK((force_at(model(parts), size * bent) - whole).norm() < 1e-13 * whole.norm());
      }
}

TEST_CASE("chain_bending: a rod of two stiffnesses bends as Euler and Bernoulli say, with errors of second order",
          "[sim][force][equilibrium]") {
  const double B1 = Cantilever::bending_stiffness, B2 = B1 / 20, L = Cantilever::length;
  const double load = 1e-5 * B1 / (L * L);
  double before = 0;
  for (const Index segments : {10, 20, 40}) {
    const Cantilever rod(segments);
    const Index joint = segments / 2;
    const double rest_of_it = L - rod.x(0, joint);
    const double expected = load / 3 * ((std::pow(L, 3) - std::pow(rest_of_it, 3)) / B1 + std::pow(rest_of_it, 3) / B2);
    const auto middle = rod.edges.begin() + joint;
    Terms terms{rod.terms().front(),
                std::make_shared<ChainBending>(B1, rod.x, std::vector(rod.edges.begin(), middle), true),
                std::make_shared<ChainBending>(B2, rod.x, std::vector(middle, rod.edges.end()), true)};
    for (const auto& one : make_chain_joints(terms, rod.x)) terms.push_back(one);
    const Equilibrium rest = find_equilibrium(rod.loaded(load, terms), {0, rod.x, Points::Zero(3, rod.x.cols())});
    INFO(segments << " segments: " << rest.failure);
    REQUIRE(rest.found());
    const double error = std::abs(rest.x(2, segments) / expected - 1);
    INFO("relative error " << error);
    if (segments == 40) CHECK(error < 1e-3);
    if (before > 0) CHECK(std::log2(before / error) == Approx(2).margin(0.3));
    before = error;
  }
}

TEST_CASE("chain_bending: chains are joined where exactly two edges of two of them meet", "[sim][force]") {
  const Points x = columns({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}, {2, 1, 0}, {2, 2, 0}});
  const auto joints = [&](const std::vector<std::vector<Spring>>& lists) {
    Terms terms;
    for (const auto& edges : lists) terms.push_back(std::make_shared<ChainBending>(1, x, edges, false));
    return make_chain_joints(terms, x).size();
  };
  CHECK(joints({{{0, 1}, {1, 2}}, {{2, 3}, {3, 4}}}) == 1);
  CHECK(joints({{{1, 2}, {0, 1}}, {{4, 3}, {3, 2}}}) == 1);                    // in any order
  CHECK(joints({{{0, 1}, {1, 6}}, {{6, 3}, {3, 4}}}) == 1);                    // at the last particle
  CHECK(joints({{{0, 1}, {1, 2}}, {{2, 3}, {3, 4}}, {{2, 5}, {5, 6}}}) == 0);  // a branch
  CHECK(joints({{{0, 1}, {1, 2}, {2, 3}}, {{2, 5}, {5, 6}}}) == 0);            // likewise
  CHECK(joints({{{0, 1}, {1, 2}}, {{1, 2}, {2, 3}}}) == 0);                    // of three edges, two are one
  CHECK(joints({{{0, 1}, {1, 2}}, {{0, 1}, {1, 2}}}) == 0);                    // the same chain again
  CHECK(joints({{{0, 1}, {1, 2}, {2, 3}, {3, 4}}}) == 0);
}

TEST_CASE("chain_bending: implicit in the IMEX integrators, whose step need not follow its fastest motion",
          "[sim][force][integrator]") {
  const Cantilever rod(20);
  const Model model = rod.loaded(0.05);
  const double fastest = 4 * std::sqrt(Cantilever::bending_stiffness / (std::pow(rod.h, 3) * 0.1));  // [1/s]
  const State start{0, rod.x, Points::Zero(3, rod.x.cols())};
  const double deflection = 0.05 * std::pow(Cantilever::length, 3) / (3 * Cantilever::bending_stiffness);
  for (const char* name : {"imex_euler", "imex_bdf2", "imex_midpoint"}) {
    INFO(name);
    const Trajectory run =
        simulate(model, start, {.integrator = name, .time_step = 20 / fastest, .steps = 400, .stage = {}});
    REQUIRE(run.status == StepStatus::Ok);
    CHECK(run.states.back().x.allFinite());
    CHECK(run.states.back().x.row(2).cwiseAbs().maxCoeff() < 2.2 * deflection);  // it swings about the deflection
    CHECK(run.states.back().x.row(2).maxCoeff() > 0);
  }
  const Trajectory explicit_run =
      simulate(model, start, {.integrator = "velocity_verlet", .time_step = 20 / fastest, .steps = 400, .stage = {}});
  CHECK(explicit_run.states.size() < 401);  // it diverges
}

TEST_CASE("chain_bending: turns are where two edges meet; no turn and edges without length are rejected",
          "[sim][force][error]") {
  // A star of three arms, one of which goes on: a turn only there.
  const Points star = columns({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0.1, 0}});
  const ChainBending arms(1, star, {{0, 1}, {0, 2}, {0, 3}, {1, 4}}, false);
  REQUIRE(arms.angles().size() == 1);
  CHECK(arms.angles()[0].particles[1] == 1);
  const ChainBending at_last(1, columns({{0, 0, 0}, {2, 0.1, 0}, {1, 0, 0}}), {{0, 2}, {2, 1}}, false);
  REQUIRE(at_last.angles().size() == 1);
  CHECK(at_last.angles()[0].particles[1] == 2);

  const auto make = [](const Points& x, std::vector<Spring> edges) {
    MapSettings settings(x.cols(), {{"stiffness", 1.0}, {"edges", std::move(edges)}, {"body", Surface{x, {}}}});
    return ChainBending::make(settings);
  };
  CHECK_THROWS_WITH(make(turned(1), {{0, 1}}), Catch::Contains("a particle where exactly two of them meet"));
  CHECK_THROWS_WITH(make(columns({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}), chain_of(2)), Catch::Contains("at particle 1"));
  CHECK_THROWS_WITH(make(columns({{0, 0, 0}, {1, 0, 0}, {0.5, 0, 0}}), chain_of(2)), Catch::Contains("fold back"));
  const Model model = lone_turn(turned(0), true);
  CHECK_THROWS_WITH(model.validate({0, columns({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}), Points::Zero(3, 3)}),
                    Catch::Contains("particles 0, 1, 2"));
}
