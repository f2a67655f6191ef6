// The times in which forces change, by which integrators choose their substeps.
#include <limits>
#include <numeric>

#include "sim/field/analytic_field.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/integrator/substeps.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/swirl_field.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double time_of(const Model& model, const State& s) {
  return shortest_time(model, s, acceleration(model, s), every_term);
}

Model one_particle(double mass, std::shared_ptr<ForceTerm> term) {
  return Model({.particles = 1, .springs = {}, .held = {}}, all(1, mass), all(1, 1e-6), {std::move(term)});
}

}  // namespace

TEST_CASE("shortest time: of an oscillator is 1/ω at every amplitude and phase", "[sim][force][adaptive]") {
  const double mass = 2e-15, omega = 3;
  const Model model = one_particle(
      mass, std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("9e-15*(x^2 + y^2 + z^2)")));
  const Vec3 e = Vec3(2, -1, 2) / 3;
  for (const double amplitude : {1e-3, 1.0, 1e3})
    for (const double phase : {0.0, 0.4, M_PI / 2, 2.0}) {
      INFO("amplitude " << amplitude << " m, phase " << phase);
      const State s{0, columns({amplitude * std::cos(phase) * e}), columns({-omega * amplitude * std::sin(phase) * e})};
      CHECK(time_of(model, s) == Approx(1 / omega).epsilon(1e-5));
    }
}

TEST_CASE("shortest time: of drag is m/c, of what is the same everywhere infinite", "[sim][force][adaptive]") {
  const State s{0, columns({{1, 2, 3}}), columns({{1, 0, 0}})};
  CHECK(time_of(one_particle(0.5, std::make_shared<LinearDrag>(all(1, 0.2), uniform({0, 0, 0}))), s) == Approx(2.5));
  CHECK(time_of(one_particle(0.5, std::make_shared<Gravity>(Vec3(0, 0, -9.81))), s) == infinite);
}

TEST_CASE("shortest time: an external charge is a pinned one", "[sim][force][adaptive]") {
  const Vec3 X(0.3, -0.2, 0.1);
  const Model inside({.particles = 2, .springs = {}, .held = {{1, {}}}}, all(2, 1e-3), Vector{{-1e-6, 2e-6}},
                     {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())});
  const Model outside({.particles = 1, .springs = {}, .held = {}}, all(1, 1e-3), Vector{{-1e-6}},
                      {std::make_shared<PointCharge>(2e-6, Path(X))});
  for (const Vec3& v : {Vec3(0, 0, 0), Vec3(3, 0, -5), Vec3(300, 20, 0)}) {
    const Vec3 x(1, 1, 1);
    const double in = time_of(inside, {0, columns({x, X}), columns({v, {0, 0, 0}})});
    CHECK(in < 1);
    CHECK(time_of(outside, {0, columns({x}), columns({v})}) == Approx(in).epsilon(1e-12));
  }
  // A charge that is carried along is not approached.
  const Model carried({.particles = 1, .springs = {}, .held = {}}, all(1, 1e6), Vector{{-1e-6}},
                      {std::make_shared<PointCharge>(2e-6, Path({-9, 9}, {Vec3(-9, 0, 0), Vec3(9, 0, 0)}))});
  const State together{0, columns({{0, 1, 0}}), columns({{1, 0, 0}})}, against{0, together.x, -together.v};
  CHECK(time_of(carried, together) > 1e3);
  CHECK(time_of(carried, against) == Approx(0.5));
}

TEST_CASE("shortest time: closest_approach is the least over all pairs, with radii and without",
          "[sim][force][adaptive]") {
  constexpr Index n = 40;
  for (const unsigned seed : {1u, 2u, 3u}) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto points = [&] {
      Points p(3, n);
      for (double& entry : p.reshaped()) entry = number(generator);
      return p;
    };
    const Model model({.particles = n, .springs = {}, .held = {{3, {}}, {7, {}}}}, all(n, 1), all(n, 0), {});
    const State s{0, points(), points()};
    const Points a = points();
    std::vector<Index> which(n);
    std::iota(which.begin(), which.end(), Index{0});
    for (const double size : {0.0, 0.08}) {
      const Vector radius = size * (Vector::Random(n).array() + 1);
      double wanted = infinite;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < i; ++j)
          if (!(model.is_held(i) && model.is_held(j)))
            wanted =
                std::min(wanted, crossing_time(std::max(0.0, (s.x.col(i) - s.x.col(j)).norm() - radius[i] - radius[j]),
                                               (s.v.col(i) - s.v.col(j)).norm(), (a.col(i) - a.col(j)).norm()));
      CHECK(closest_approach(model, s, a, which, radius) == Approx(wanted).epsilon(1e-12));
      if (size == 0) CHECK(closest_approach(model, s, a, which) == Approx(wanted).epsilon(1e-12));
    }
  }
}

TEST_CASE("shortest time: every force of the registry has one where it changes, and key frames keep it",
          "[sim][force][adaptive]") {
  for (const auto& [name, model] : force_suite::specimens()) {
    INFO(name);
    const State s = force_suite::Dice(7).state();
    const double time = time_of(model, s);
    const bool changes_nothing =
        name == "gravity" || name == "brownian" || name == "langevin" || name == "velocity_rescaling";
    CHECK(time > 0);
    if (changes_nothing) CHECK(time == infinite);
    const Vector charge = model.charge();
    const Model framed = model.with_key_frames({model.values().block(Model::charge_block).offset}, {0, 1});
    CHECK(time_of(framed, s) == Approx(time).epsilon(1e-12));
  }
}

TEST_CASE("shortest time: spheres that fly at each other are seen before they meet, and a contact is no shorter",
          "[sim][force][adaptive]") {
  MapSettings settings(2, {{"radius", all(2, 0.1)}, {"stiffness", 8.0}});
  std::vector<std::shared_ptr<ForceTerm>> terms;
  for (const ForceInfo& info : forces())
    if (info.name == "contact_penalty") terms = info.make(settings);
  const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1e-6), all(2, 0), terms);
  const auto at = [](double gap) {
    return State{0, columns({{0, 0, 0}, {0.2 + gap, 0, 0}}), columns({{1, 0, 0}, {-1, 0, 0}})};
  };
  CHECK(time_of(model, at(0.5)) == Approx(0.25));
  const double contact = std::sqrt(1e-6 / 16);
  CHECK(time_of(model, at(1e-6)) == Approx(contact));
  CHECK(time_of(model, at(-0.01)) == Approx(contact));
}

TEST_CASE("shortest time: of tracers is that of the fastest change on their way", "[sim][force][tracers]") {
  Topology topology;
  topology.particles = 2;
  topology.flow = std::make_shared<SwirlField>(2);
  const Model model(std::move(topology), all(2, 0), all(2, 0), {});
  // Along z the field changes by 2 x₀ along y; the first tracer flies where it does not change.
  const State s{0, columns({{0, 0, 0}, {3, 0, 0}}), columns({{1, 0, 0}, {0, 0, 5}})};
  CHECK(shortest_time(model, s, Points::Zero(3, 2), every_term) == Approx(1.0 / 6).epsilon(1e-12));
}
