#include "sim/force/contact_penalty.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// Spheres of these masses and radii; their damper only with a damping.
Model sphere_model(const Vector& mass, const Vector& radius, double stiffness, double damping,
                   const std::string& method = "auto", double skin = 0, std::vector<Held> held = {}) {
  const auto penalty = std::make_shared<ContactPenalty>(radius, stiffness, make_neighbor_search(method, skin));
  std::vector<std::shared_ptr<ForceTerm>> terms{penalty};
  if (damping > 0) terms.push_back(std::make_shared<ContactDamper>(penalty, damping));
  return {{.particles = mass.size(), .springs = {}, .held = std::move(held)}, mass, Vector::Zero(mass.size()), terms};
}

const Vector two_masses{{0.3, 0.7}}, two_radii{{0.4, 0.6}};

/// Two spheres that are about to meet head-on, at this speed.
State about_to_meet(double speed) {
  const Vec3 n = Vec3(2, -1, 2) / 3;
  State s{0, Points::Zero(3, 2), Points::Zero(3, 2)};
  s.x.col(1) = n;
  s.v.col(0) = speed * n + Vec3(0.1, 0.2, 0.3);
  s.v.col(1) = Vec3(0.1, 0.2, 0.3);
  return s;
}

}  // namespace

TEST_CASE("contact_penalty: the force is stiffness times depth along the normal, and nothing without contact",
          "[sim][force]") {
  const Model model = sphere_model(two_masses, two_radii, 50, 0);
  const auto force = [&](double r) {
    const State s{0, Points{{0, 0}, {0, r}, {0, 0}}, Points::Zero(3, 2)};
    Points f = Points::Zero(3, 2);
    model.terms()[0]->add_force(model, s, f);
    CHECK(f.col(0) == -f.col(1));
    CHECK(*model.terms()[0]->energy(model, s) == Approx(25 * std::pow(std::max(1 - r, 0.0), 2)).margin(1e-15));
    return f(1, 1);
  };
  CHECK(force(0.8) == Approx(50 * 0.2).epsilon(1e-14));
  CHECK(force(0.01) == Approx(50 * 0.99).epsilon(1e-14));
  CHECK(force(1) == 0);  // they touch
  CHECK(force(1.2) == 0);
  // Points do not feel each other.
  const Model points = sphere_model(two_masses, Vector{{0.0, 0.0}}, 50, 0);
  Points f = Points::Zero(3, 2);
  points.terms()[0]->add_force(points, about_to_meet(1), f);
  CHECK(f.isZero(0));
}

TEST_CASE("contact_penalty: two spheres rebound as a spring with a damper does", "[sim][force][order]") {
  const double k = 200, speed = 1.3, reduced = 0.3 * 0.7;  // masses add up to 1
  for (const double zeta : {0.0, 0.2, 0.7}) {
    INFO("damping ratio " << zeta);
    const double c = 2 * zeta * std::sqrt(k * reduced), omega = std::sqrt(k / reduced);
    const double contact_time = std::numbers::pi / (omega * std::sqrt(1 - zeta * zeta));
    const Model model = sphere_model(two_masses, two_radii, k, c);
    constexpr Index steps = 20000;
    const Trajectory run = simulate(model, about_to_meet(speed),
                                    {.integrator = "velocity_verlet",
                                     .time_step = 1.2 * contact_time / steps,
                                     .steps = steps,
                                     .every = 1,
                                     .stage = {}});
    REQUIRE(run.status == StepStatus::Ok);
    double deepest = 0;
    for (const State& s : run.states) deepest = std::max(deepest, 1 - (s.x.col(0) - s.x.col(1)).norm());
    const State& end = run.states.back();
    const Vec3 n = Vec3(2, -1, 2) / 3;
    const double parting = (end.v.col(1) - end.v.col(0)).dot(n);
    // Where contact begins and ends is known to a step, some 1e-4 of the contact.
    CHECK(parting / speed == Approx(std::exp(-std::numbers::pi * zeta / std::sqrt(1 - zeta * zeta))).margin(3e-4));
    if (zeta == 0) CHECK(deepest == Approx(speed / omega).epsilon(1e-6));
    CHECK((end.v * model.mass() - about_to_meet(speed).v * model.mass()).norm() < 1e-12);
  }
}

TEST_CASE("contact_penalty: a motion does not depend on how neighbors are found, to the last bit",
          "[sim][force][equivalence]") {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> place(0, 2.5), size(0.1, 0.3);
  const Index n = 60;
  Vector radius(n);
  for (double& entry : radius) entry = size(generator);
  State initial{0, Points(3, n), Points(3, n)};
  for (double& entry : initial.x.reshaped()) entry = place(generator);
  for (double& entry : initial.v.reshaped()) entry = place(generator) - 1.25;
  const auto end_of = [&](const std::string& method, double skin) {
    const Model model = sphere_model(Vector::Ones(n), radius, 100, 1, method, skin);
    return simulate(model, initial,
                    {.integrator = "velocity_verlet", .time_step = 0.005, .steps = 100, .every = 100, .stage = {}})
        .states.back();
  };
  const State want = end_of("brute_force", 0);
  REQUIRE((want.v - initial.v).norm() > 1);
  for (const NeighborMethod& method : neighbor_methods())
    for (const double skin : {0.0, 0.2}) {
      INFO(method.name << ", skin " << skin);
      const State got = end_of(method.name, skin);
      CHECK(got.x == want.x);
      CHECK(got.v == want.v);
    }
}

TEST_CASE("contact_damper: its flow is exact for two spheres, however stiff, and leaves held ones alone",
          "[sim][force]") {
  const Vec3 n = Vec3(2, -1, 2) / 3, v0(0.4, -0.7, 0.2), v1(-0.9, 0.3, 0.6);
  const State s{0, Points{{0, 0.6 * n[0]}, {0, 0.6 * n[1]}, {0, 0.6 * n[2]}},
                Points{{v0[0], v1[0]}, {v0[1], v1[1]}, {v0[2], v1[2]}}};
  const double h = 0.3;
  for (const double c : {0.01, 0.8, 40.0}) {
    INFO("damping " << c);
    const double along = (v0 - v1).dot(n);
    // The relative speed along the normal dies away with c/m, m the reduced mass; momentum stays.
    const double lost = along * -std::expm1(-c * h / (0.3 * 0.7));
    Points v = s.v;
    const Model free = sphere_model(two_masses, two_radii, 50, c);
    free.terms()[1]->as<VelocityFlow>()->flow_velocity(free, s, h, v);
    CHECK((v.col(0) - (v0 - 0.7 * lost * n)).norm() < 1e-13);
    CHECK((v.col(1) - (v1 + 0.3 * lost * n)).norm() < 1e-13);

    v = s.v;
    const Model pinned = sphere_model(two_masses, two_radii, 50, c, "auto", 0, {{1, {}}});
    pinned.terms()[1]->as<VelocityFlow>()->flow_velocity(pinned, s, h, v);
    CHECK((v.col(0) - (v0 + along * std::expm1(-c * h / 0.3) * n)).norm() < 1e-13);
    CHECK(v.col(1) == v1);

    // Its derivatives: by differences, and the transpose. Held particles take no part in either.
    for (const Model* model : {&free, &pinned}) {
      Variation d = Variation::zero(2, model->values().size());
      d.x << 0.3, -0.2, 0.5, 0.1, 0.4, -0.6;
      d.v << -0.4, 0.7, 0.2, 0.9, -0.3, 0.8;
      d.values << 0.02, -0.05, 0, 0, 0.3, 0.2, 1.5, 0.1 * c;
      Points dv = d.v;
      model->terms()[1]->as<VelocityFlow>()->flow_velocity_jvp(*model, s, h, d, dv);
      const auto flowed = [&](double e) {
        const Model at = model->with_values(model->values().data() + e * d.values);
        Points w = s.v + e * d.v;
        at.terms()[1]->as<VelocityFlow>()->flow_velocity(at, {0, s.x + e * d.x, w}, h, w);
        return w;
      };
      const double e = 1e-3;
      const Points difference = (8 * (flowed(e) - flowed(-e)) - (flowed(2 * e) - flowed(-2 * e))) / (12 * e);
      CHECK((dv - difference).norm() < 1e-8 * dv.norm());  // e⁴ times fifth derivatives of some 1e3
      const Points a{{0.2, -0.5}, {0.7, 0.4}, {-0.3, 0.9}};
      Variation g = Variation::zero(2, model->values().size());
      model->terms()[1]->as<VelocityFlow>()->flow_velocity_vjp(*model, s, h, a, g);
      REQUIRE(g.x.norm() > 0);
      CHECK(flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values) ==
            Approx(flat(a).dot(flat(dv))).epsilon(1e-12));
    }
  }
}

TEST_CASE("contact_penalty: spheres without a direction between them are rejected before step 0",
          "[sim][force][error]") {
  const Model model = sphere_model(two_masses, two_radii, 50, 0);
  CHECK_THROWS_WITH(
      model.validate({0, Points::Zero(3, 2), Points::Zero(3, 2)}),
      Catch::Contains("forces.contact_penalty") && Catch::Contains("particles 0 and 1 at the same point"));
}
