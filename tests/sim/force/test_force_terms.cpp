#include <Eigen/Geometry>
#include <set>

#include "tests/support/force_specimens.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;
using tests::MapSettings;

TEST_CASE("forces: the force is minus the gradient of the energy wherever there is one", "[sim][force][fd]") {
  int conservative = 0;
  for (const auto& [name, model] : specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      for (const auto& term : model.terms()) {
        CHECK(term->energy(model, s).has_value() == term->traits().energy.has_value());
        if (!term->traits().energy) continue;
        ++conservative;
        Points force = Points::Zero(3, N);
        term->add_force(model, s, force);
        const Points d = dice.points(1);
        const auto energy = [&](double step) {
          return Vector::Constant(1, term->energy(model, {s.t, s.x + step * d, s.v}).value()).eval();
        };
        const double slope = fourth_order_difference(energy)[0], want = -flat(force).dot(flat(d));
        REQUIRE(std::abs(want) > 0);
        CHECK(std::abs(slope - want) < difference_tolerance * force.norm() * d.norm());
      }
    }
  CHECK(conservative >= 3 * 12);  // coulomb, lennard_jones and contact_penalty twice, gravity, uniform field, …
}

TEST_CASE("forces: jvp agrees with differences in positions, velocities and values", "[sim][force][fd]") {
  for (const auto& [name, model] : differentiable_specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      const Variation d = two_sided(model, dice.direction(model));
      const Points got = jvp_of(model, s, d);
      REQUIRE(got.norm() > 1e-3 * force_of(model, s).norm());  // a derivative of zero would prove nothing
      const auto force = [&](double step) {
        const Shifted at = shifted(model, s, d, step);
        return force_of(at.model, at.state);
      };
      const Points want = fourth_order_difference(force);
      CHECK((got - want).norm() < difference_tolerance * (want.norm() + force_of(model, s).norm()));
      // The blocks one at a time: a fault in a small one must not hide behind a large one.
      for (const Index part : {0, 1, 2}) {
        Variation only = Variation::zero(N, d.values.size());
        if (part == 0) only.x = d.x;
        if (part == 1) only.v = d.v;
        if (part == 2) only.values = d.values;
        const auto partly = [&](double step) {
          const Shifted at = shifted(model, s, only, step);
          return force_of(at.model, at.state);
        };
        CHECK((jvp_of(model, s, only) - fourth_order_difference(partly)).norm() <
              difference_tolerance * (want.norm() + force_of(model, s).norm()));
      }
    }
}

TEST_CASE("forces: jvps along directions side by side are those of each alone, and accumulate", "[sim][force]") {
  for (const auto& [name, model] : differentiable_specimens()) {
    INFO(name);
    Dice dice(11);
    const State s = dice.state();
    std::vector<Variation> each;
    for (int p = 0; p < 5; ++p) each.push_back(dice.direction(model));
    Eigen::MatrixXd values(model.values().size(), 5);
    Directions d{Panel(5, 3 * N), Panel(5, 3 * N), {}};
    for (Index p = 0; p < 5; ++p) {
      d.set(p, each[p]);
      values.col(p) = each[p].values;
    }
    d.values = std::make_shared<const ValueDirections>(values);
    for (const auto& term : model.terms()) {
      const Panel before = Panel::Constant(5, 3 * N, 0.25);
      Panel df = before;
      term->add_jvps(model, s, d, df);
      for (Index p = 0; p < 5; ++p) {
        CHECK(d.alone(p).x == each[p].x);
        CHECK(d.alone(p).values == each[p].values);
        Points alone = points_of(before, p);
        term->add_jvp(model, s, each[p], alone);
        // The order of some ten operations differs.
        CHECK((points_of(df, p) - alone).norm() <= 1e-14 * alone.norm());
      }
    }
  }
}

TEST_CASE("forces: vjp is the transpose of jvp", "[sim][force]") {
  for (const auto& [name, model] : differentiable_specimens())
    for (unsigned seed = 1; seed <= 3; ++seed) {
      INFO(name << " seed " << seed);
      Dice dice(seed);
      const State s = dice.state();
      const Variation d = dice.direction(model);
      const Points w = dice.points(1);
      Variation g = Variation::zero(N, model.values().size());
      for (const auto& term : model.terms()) term->add_vjp(model, s, w, g);
      const double forward = flat(w).dot(flat(jvp_of(model, s, d)));
      const double backward = flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values);
      REQUIRE(std::abs(forward) > 0);
      CHECK(std::abs(forward - backward) <
            1e-12 * w.norm() * jvp_of(model, s, d).norm());  // rounding of sums of some 1e2 terms
    }
}

TEST_CASE("forces: everything accumulates", "[sim][force]") {
  for (const auto& [name, model] : specimens()) {
    INFO(name);
    Dice dice(5);
    const State s = dice.state();
    const Variation d = dice.direction(model);
    const Points w = dice.points(1);
    for (const auto& term : model.terms()) {
      Points once = Points::Zero(3, N), twice = once;
      term->add_force(model, s, once);
      term->add_force(model, s, twice);
      term->add_force(model, s, twice);
      CHECK((twice - 2 * once).norm() <= 1e-15 * once.norm());
      once.setZero(), twice.setZero();
      term->add_jvp(model, s, d, once);
      term->add_jvp(model, s, d, twice);
      term->add_jvp(model, s, d, twice);
      CHECK((twice - 2 * once).norm() <= 1e-14 * once.norm());
      Variation g1 = Variation::zero(N, model.values().size()), g2 = g1;
      term->add_vjp(model, s, w, g1);
      term->add_vjp(model, s, w, g2);
      term->add_vjp(model, s, w, g2);
      CHECK((g2.x - 2 * g1.x).norm() + (g2.v - 2 * g1.v).norm() <= 1e-14 * (g1.x.norm() + g1.v.norm()));
      CHECK((g2.values - 2 * g1.values).norm() <= 1e-14 * g1.values.norm());
    }
  }
}

TEST_CASE("forces: those that depend on velocity offer a dissipation or a flow, and no others", "[sim][force]") {
  for (const auto& [name, model] : differentiable_specimens())
    for (const auto& term : model.terms()) {
      INFO(name);
      Dice dice(2);
      const State s = dice.state();
      const double by_velocity = dense_jacobian(*term, model, s, true).norm();
      CHECK((by_velocity > 0) == is_velocity_dependent(*term));
      if (term->as<LinearDissipation>()) {
        const State other{s.t, s.x, dice.points(3)};
        CHECK((dense_jacobian(*term, model, other, true) - dense_jacobian(*term, model, s, true)).norm() <
              1e-13 * by_velocity);
      }
    }
}

TEST_CASE("forces: internal ones obey the third law", "[sim][force][conservation]") {
  int internal = 0;
  for (const auto& [name, model] : specimens()) {
    if (!std::set<std::string>{"coulomb", "springs", "dampers", "lennard_jones", "pair_potential", "contact_penalty",
                               "newtonian_gravity", "sph", "screened_coulomb", "chain_bending", "hinge_bending",
                               "cubic_springs"}
             .contains(name))
      continue;
    INFO(name);
    ++internal;
    const State s = Dice(4).state();
    const Points f = force_of(model, s);
    Vec3 torque = Vec3::Zero();
    for (Index i = 0; i < N; ++i) torque += s.x.col(i).cross(f.col(i));
    REQUIRE(f.norm() > 0);
    CHECK(f.rowwise().sum().norm() < 1e-14 * f.norm());
    CHECK(torque.norm() < 1e-14 * f.norm() * s.x.norm());
  }
  CHECK(internal == 23);
}

TEST_CASE("forces: explicit velocity-dependent ones offer the exact flow and its derivatives", "[sim][force][fd]") {
  int flows = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      const auto* flow = term->as<VelocityFlow>();
      if (!flow) continue;
      INFO(name);
      ++flows;
      Dice dice(6);
      const State s = dice.state();
      const double h = 0.4;
      Points v = s.v;
      flow->flow_velocity(model, s, h, v);
      REQUIRE((v - s.v).norm() > 0.1);

      // m dv/dt = F(x, v, t) at fixed x, t, by 2000 steps of the classical Runge–Kutta method: error (2e-4)⁴.
      const auto rate = [&](const Points& at) {
        Points f = Points::Zero(3, N);
        term->add_force(model, {s.t, s.x, at}, f);
        return Points(f * model.mass().cwiseInverse().asDiagonal());
      };
      Points fine = s.v;
      for (int k = 0; k < 2000; ++k) {
        const double dt = h / 2000;
        const Points a = rate(fine), b = rate(fine + dt / 2 * a), c = rate(fine + dt / 2 * b), e = rate(fine + dt * c);
        fine += dt / 6 * (a + 2 * b + 2 * c + e);
      }
      CHECK((v - fine).norm() < 1e-12 * v.norm());

      if (!term->traits().differentiable) continue;

      const Variation d = two_sided(model, dice.direction(model));
      Points got = d.v;
      flow->flow_velocity_jvp(model, s, h, d, got);
      const auto flowed = [&](double step) {
        const Shifted at = shifted(model, s, d, step);
        Points out = at.state.v;
        flow->flow_velocity(at.model, at.state, h, out);
        return out;
      };
      CHECK((got - fourth_order_difference(flowed)).norm() < difference_tolerance * got.norm());

      const Points a = dice.points(1);
      Variation g = Variation::zero(N, model.values().size());
      g.v = dice.points(5);  // replaced, not added to
      flow->flow_velocity_vjp(model, s, h, a, g);
      const double backward = flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values);
      CHECK(flat(a).dot(flat(got)) == Approx(backward).epsilon(1e-12));
    }
  CHECK(flows ==
        9);  // quadratic drag in two winds, dry friction, contact damper twice, viscosity of a fluid, three magnetic
}

TEST_CASE("forces: the registry says which are differentiable", "[sim][force]") {
  for (const ForceInfo& info : forces())
    for (const auto& [name, model] : specimens()) {
      if (name != info.name) continue;
      INFO(name);
      for (const auto& term : model.terms()) CHECK(term->traits().differentiable == info.differentiable);
    }
}

TEST_CASE("forces: settings that make no sense are rejected", "[sim][force][error]") {
  const auto make = [](const std::string& name, std::map<std::string, MapSettings::Value> values) {
    MapSettings settings(N, std::move(values));
    for (const ForceInfo& info : forces())
      if (info.name == name) return info.make(settings);
    FAIL("unknown force " << name);
    return std::vector<std::shared_ptr<ForceTerm>>{};
  };
  CHECK_THROWS_WITH(make("coulomb", {{"softening", -0.1}}), Catch::Contains("softening: must be >= 0 m"));
  CHECK_THROWS_WITH(make("coulomb", {{"method", std::string("magic")}}), Catch::Contains("magic"));
  CHECK_THROWS_WITH(make("point_charge", {{"charge", 1e-6}}), Catch::Contains("position"));
  CHECK_THROWS_WITH(make("langevin", {{"thermal_energy", -1.0}, {"friction_rate", 1.0}}),
                    Catch::Contains("must be >= 0 J"));
  CHECK_THROWS_WITH(specimen("langevin", make("langevin", {{"thermal_energy", 1.0}, {"friction_rate", -1.0}})),
                    Catch::Contains("langevin_friction_rate: must be >= 0 1/s"));
  CHECK_THROWS_WITH(make("velocity_rescaling", {{"thermal_energy", 1.0}, {"time_constant", -1.0}}),
                    Catch::Contains("time_constant: must be >= 0 s"));
  CHECK_THROWS_WITH(make("magnetic_field", {}), Catch::Contains("is required"));
  CHECK_THROWS_WITH(make("applied_force", {}), Catch::Contains("must have exactly one of `each` and `total`"));
  CHECK_THROWS_WITH(make("applied_force", {{"each", Vec3(1, 0, 0)}, {"total", Vec3(1, 0, 0)}}),
                    Catch::Contains("got both"));
  CHECK_THROWS_WITH(make("applied_force",
                         {{"each", MapSettings::mapping({{"expression", std::vector<std::string>{"x", "0", "0"}}})}}),
                    Catch::Contains("use t, pi, e,"));
  CHECK_THROWS_WITH(make("medium", {{"radius", Vector(Vector::Ones(N))}}),
                    Catch::Contains("must have a viscosity, a density or both"));
  CHECK_THROWS_WITH(make("medium", {{"radius", Vector(Vector::Ones(N))}, {"density", 1.0}}),
                    Catch::Contains("gravity: is required"));
  CHECK_THROWS_WITH(specimen("medium", make("medium", {{"radius", Vector(Vector::Ones(N))}, {"viscosity", -1.0}})),
                    Catch::Contains("medium_viscosity: must be >= 0 Pa s, got -1"));
  CHECK_THROWS_WITH(make("field_potential", {{"expression", std::string("2 +* x")}}), Catch::Contains("2 +* x"));
  CHECK_THROWS_WITH(make("gravity", {}), Catch::Contains("is required"));
  CHECK_THROWS_WITH(specimen("drag", make("drag", {{"linear", Vector(Vector::Constant(N, -1))}})),
                    Catch::Contains("linear_drag[0]: must be >= 0 kg/s, got -1"));
  CHECK_THROWS_WITH(specimen("drag", make("drag", {{"quadratic", Vector(Vector::Ones(2))}})),
                    Catch::Contains("one entry for each of the 6 particles"));
  CHECK_THROWS_WITH(make("dry_friction", {{"friction_force", Vector(Vector::Ones(N))}, {"stiction_velocity", 0.0}}),
                    Catch::Contains("stiction_velocity: must be > 0 m/s"));
  CHECK_THROWS_WITH(make("dry_friction", {{"friction_force", Vector(Vector::Ones(N))}}),
                    Catch::Contains("is required"));
  CHECK_THROWS_WITH(make("pair_potential", {{"expression", std::string("1/(r - 2)")}, {"cutoff", 2.0}}),
                    Catch::Contains("expression: must have a finite value at the cutoff"));
  CHECK_THROWS_WITH(make("pair_potential", {{"expression", std::string("1/x")}, {"cutoff", 2.0}}),
                    Catch::Contains("use r, pi, e,"));
  CHECK_THROWS_WITH(make("pair_potential", {{"expression", std::string("1/r")}}), Catch::Contains("cutoff"));
  CHECK_THROWS_WITH(make("contact_penalty", {{"radius", Vector(Vector::Zero(N))}, {"stiffness", 1.0}}),
                    Catch::Contains("radius: must be > 0 m for at least one particle, got 0"));
  CHECK_THROWS_WITH(
      specimen("contact_penalty", make("contact_penalty", {{"radius", Vector(Vector::Ones(N))}, {"stiffness", -1.0}})),
      Catch::Contains("contact_stiffness: must be >= 0 N/m, got -1"));
  CHECK_THROWS_WITH(
      specimen("contact_penalty", make("contact_penalty", {{"radius", Vector(Vector::Ones(2))}, {"stiffness", 1.0}})),
      Catch::Contains("one entry for each of the 6 particles"));
  CHECK_THROWS_WITH(make("lennard_jones", {{"epsilon", 1.0}, {"sigma", 0.0}}),
                    Catch::Contains("sigma: must be > 0 m, got 0"));
  CHECK_THROWS_WITH(make("lennard_jones", {{"epsilon", 1.0}, {"sigma", 1.0}, {"cutoff", -1.0}}),
                    Catch::Contains("cutoff: must be > 0 m, got -1"));
  CHECK_THROWS_WITH(make("lennard_jones", {{"epsilon", 1.0}, {"sigma", 1.0}, {"skin", -1.0}}),
                    Catch::Contains("skin: must be >= 0 m"));
  CHECK_THROWS_WITH(make("lennard_jones", {{"epsilon", 1.0}, {"sigma", 1.0}, {"neighbors", std::string("magic")}}),
                    Catch::Contains("magic"));
  CHECK_THROWS_WITH(specimen("lennard_jones", make("lennard_jones", {{"epsilon", -1.0}, {"sigma", 1.0}})),
                    Catch::Contains("lennard_jones_epsilon: must be > 0 J, got -1"));
}
