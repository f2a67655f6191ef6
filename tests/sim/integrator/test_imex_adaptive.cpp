#include "sim/integrator/imex_adaptive.hpp"

#include "sim/field/analytic_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/newtonian_gravity.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// A Kepler orbit about the origin with a semi-major axis of 1 m and μ = 1 m³/s², from its far end on.
struct Orbit {
  double eccentricity;
  double period = 2 * M_PI;
  Vec3 x() const { return {1 + eccentricity, 0, 0}; }
  Vec3 v() const { return {0, std::sqrt((1 - eccentricity) / (1 + eccentricity)), 0}; }
};

Terms made(const std::string& name, Index particles, const std::map<std::string, MapSettings::Value>& values) {
  MapSettings settings(particles, values);
  for (const ForceInfo& info : forces())
    if (info.name == name) return info.make(settings);
  return {};
}

/// What attracts in the center: the same motion by different forces.
struct Center {
  std::string name;
  Model model;
  bool inside;  ///< a pinned particle is there
};
std::vector<Center> centers() {
  const double k = coulomb_constant;
  const auto bodies = [](bool inside, Vector charge, Terms terms) {
    const Index n = inside ? 2 : 1;
    return Model({.particles = n, .springs = {}, .held = inside ? std::vector<Held>{{1, {}}} : std::vector<Held>{}},
                 all(n, 1), std::move(charge), std::move(terms));
  };
  return {
      {"coulomb",
       bodies(true, Vector{{-1, 1 / k}}, {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())}), true},
      {"point_charge", bodies(false, Vector{{-1}}, {std::make_shared<PointCharge>(1 / k, Path(Vec3(0, 0, 0)))}), false},
      {"newtonian_gravity",
       bodies(true, all(2, 0), {std::make_shared<NewtonianGravity>(std::make_unique<DirectCoulombSum>(), 1)}), true},
      {"field_potential",
       bodies(false, all(1, 0),
              {std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("-1/sqrt(x^2 + y^2 + z^2)"))}),
       false},
      {"pair_potential",
       bodies(true, all(2, 0), made("pair_potential", 2, {{"expression", std::string("-1/r")}, {"cutoff", 9.0}})),
       true}};
}

Trajectory run(const Center& center, const Orbit& orbit, Index steps, const IntegratorChoice& integrator) {
  State start{0, columns({orbit.x()}), columns({orbit.v()})};
  if (center.inside) start = {0, columns({orbit.x(), {0, 0, 0}}), columns({orbit.v(), {0, 0, 0}})};
  return simulate(center.model, start,
                  {.integrator = integrator, .time_step = orbit.period / steps, .steps = steps, .stage = {}});
}

double worst_energy_error(const Trajectory& t) {
  double worst = 0;
  for (const EnergyRow& row : t.energy) worst = std::max(worst, std::abs(row.total() / t.energy.front().total() - 1));
  return worst;
}

std::size_t substeps(const Trajectory& t) {
  std::size_t sum = 0;
  for (const StepRecord& record : t.records) sum += record.substeps.size();
  return sum;
}

Index capped(const Trajectory& t) {
  Index sum = 0;
  for (const StepRecord& record : t.records) sum += record.work.capped_substeps;
  return sum;
}

}  // namespace

TEST_CASE("imex_adaptive: sees a close approach whatever force it is of", "[sim][integrator][adaptive][energy]") {
  const Orbit orbit{.eccentricity = 0.98};
  const std::vector<Center> all_centres = centers();
  const Trajectory charges = run(all_centres[0], orbit, 100, "imex_adaptive");
  // The least distance is 0.02 m; a hundred equal steps err by a factor of hundreds.
  CHECK(worst_energy_error(charges) == Approx(0.12).margin(0.01));
  for (const Center& center : all_centres) {
    INFO(center.name);
    const Trajectory t = run(center, orbit, 100, "imex_adaptive");
    REQUIRE(t.status == StepStatus::Ok);
    CHECK(capped(t) == 0);
    CHECK(substeps(t) > 150);
    if (center.name == "field_potential") {  // its time is that of the linearization, which is longer by up to 2
      CHECK(worst_energy_error(t) < 0.5);
    } else if (center.name == "pair_potential") {
      CHECK(worst_energy_error(t) < 0.13);  // both times
    } else {
      CHECK(worst_energy_error(t) == Approx(worst_energy_error(charges)).epsilon(1e-6));
      CHECK(substeps(t) == substeps(charges));
    }
    CHECK(worst_energy_error(run(center, orbit, 100, "imex_midpoint")) > 10);
  }
}

TEST_CASE("imex_adaptive: a collision of Lennard-Jones particles keeps its energy at steps that jump across it",
          "[sim][integrator][adaptive][energy]") {
  const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0),
                    made("lennard_jones", 2, {{"epsilon", 1.0}, {"sigma", 0.1}}));
  const State start{0, columns({{-1, 0.01, 0}, {1, 0, 0}}), columns({{3, 0, 0}, {-3, 0, 0}})};
  // In a step of 0.1 s they come nearer by 0.6 m, six times their size, and meet after 0.3 s.
  const auto error = [&](double approach) {
    MapSettings settings(0, {{"safety_factor", approach}});
    const Trajectory t =
        simulate(model, start, {.integrator = {"imex_adaptive", settings}, .time_step = 0.1, .steps = 7, .stage = {}});
    REQUIRE(t.status == StepStatus::Ok);
    CHECK(t.states.back().v(0, 0) < -2);  // they have bounced
    return std::abs(t.energy.back().total() / t.energy.front().total() - 1);
  };
  CHECK(error(0.1) < 0.03);
  CHECK(error(0.02) < 0.002);
}

TEST_CASE("imex_adaptive: substeps that max_substeps keeps too long are counted", "[sim][integrator][adaptive]") {
  const Center center = centers().front();
  const Orbit orbit{.eccentricity = 0.99};
  MapSettings fine(0, {{"safety_factor", 0.02}}), enough(0, {{"safety_factor", 0.02}, {"max_substeps", 1e6}});
  const Trajectory bound = run(center, orbit, 2, {"imex_adaptive", fine});
  CHECK(worst_energy_error(bound) > 1);
  CHECK(capped(bound) > 0);
  const Trajectory free = run(center, orbit, 2, {"imex_adaptive", enough});
  CHECK(worst_energy_error(free) < 0.1);
  CHECK(capped(free) == 0);
}

TEST_CASE("imex_adaptive: substeps are the same in every system of units", "[sim][integrator][adaptive][scale]") {
  // Powers of four commute with rounding, also under a square root.
  const Orbit orbit{.eccentricity = 0.9};
  const auto gravity = [](double G) {
    return Center{"",
                  Model({.particles = 2, .springs = {}, .held = {{1, {}}}}, all(2, 1), all(2, 0),
                        {std::make_shared<NewtonianGravity>(std::make_unique<DirectCoulombSum>(), G)}),
                  true};
  };
  const Trajectory t = run(gravity(1), orbit, 20, "imex_adaptive");
  for (const int k : {-20, 20}) {
    const double length = std::pow(4.0, k), G = length * length * length;
    const State start{0, length * columns({orbit.x(), {0, 0, 0}}), length * columns({orbit.v(), {0, 0, 0}})};
    const Trajectory scaled = simulate(gravity(G).model, start,
                                       {.integrator = "imex_adaptive",
                                        .time_step = orbit.period / 20,
                                        .steps = 20,
                                        .stage = {.tolerance = 1e-12 * length}});
    REQUIRE(scaled.records.size() == t.records.size());
    for (std::size_t n = 0; n < t.records.size(); ++n)
      CHECK(scaled.records[n].substeps.size() == t.records[n].substeps.size());
  }
}
