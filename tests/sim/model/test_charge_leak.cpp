#include "sim/model/values_in_time.hpp"

#include "sim/force/electric_field.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
namespace suite = pithball::tests::force_suite;

namespace {

constexpr double rate = 1.7;

/// The values of a model whose charges have leaked until t, in the layout without leak.
Model leaked(const Model& model, double t) {
  Vector values = model.values().data();
  values.segment(model.values().block(Model::charge_block).offset, model.particles()) *= std::exp(-rate * t);
  return model.with_values(values);
}

}  // namespace

TEST_CASE("charge_leak: every force is that of the charges which are left", "[sim][model][charge_leak]") {
  int changed = 0;
  for (const suite::Specimen& specimen : suite::specimens()) {
    INFO(specimen.name);
    const State s = suite::Dice(3).state();
    REQUIRE(s.t > 0);
    const Model model = specimen.model.with_charge_leak(rate);
    const Points f = suite::force_of(model, s), expected = suite::force_of(leaked(specimen.model, s.t), s);
    CHECK((f - expected).norm() <= 1e-14 * expected.norm());
    changed += (f - suite::force_of(specimen.model, s)).norm() > 1e-3 * f.norm();
    CHECK(model.at(s.t).charge() == leaked(specimen.model, s.t).charge());
  }
  CHECK(changed >= 10);  // coulomb, screened and image charges twice, fields, an external charge, a potential
}

TEST_CASE("charge_leak: derivatives by charges and rate agree with differences, and transposed ones with them",
          "[sim][model][charge_leak][fd]") {
  int by_rate = 0;
  for (const suite::Specimen& specimen : suite::differentiable_specimens())
    for (const double present : {rate, 0.0}) {  // the derivative at rate 0 exists, too
      INFO(specimen.name << " at rate " << present);
      suite::Dice dice(3);
      const State s = dice.state();
      const Model model = specimen.model.with_charge_leak(present);
      const Index at = model.charge_leak()->rate;
      Variation d = suite::two_sided(model, dice.direction(model));
      d.values[at] = 0.8;
      const Points got = suite::jvp_of(model, s, d);
      // To both sides also of rate 0: the same forces of a model with what is left of the charges.
      const auto moved = [&](double step) {
        const suite::Shifted shifted = suite::shifted(specimen.model, s, {d.x, d.v, d.values.head(at)}, step);
        Vector values = shifted.model.values().data();
        const ValueBlock& charges = specimen.model.values().block(Model::charge_block);
        values.segment(charges.offset, charges.size) *= std::exp(-(present + step * d.values[at]) * s.t);
        return suite::force_of(specimen.model.with_values(values), shifted.state);
      };
      const Points want = suite::fourth_order_difference(moved);
      CHECK((got - want).norm() < suite::difference_tolerance * (want.norm() + suite::force_of(model, s).norm()));

      Variation only = Variation::zero(suite::N, model.values().size());
      only.values[at] = 1;
      by_rate += suite::jvp_of(model, s, only).norm() > 0;

      const Points w = dice.points(1);
      Variation g = Variation::zero(suite::N, model.values().size());
      g.values.setConstant(0.5);  // it adds
      for (const auto& term : model.terms()) term->add_vjp(model, s, w, g);
      g.values.array() -= 0.5;
      const double backward = flat(g.x).dot(flat(d.x)) + flat(g.v).dot(flat(d.v)) + g.values.dot(d.values);
      const double size = std::max(1.0, g.values.norm() * d.values.norm()) + w.norm() * got.norm();
      CHECK(std::abs(flat(w).dot(flat(got)) - backward) < 1e-12 * size);
    }
  CHECK(by_rate >= 20);
}

TEST_CASE("charge_leak: a charge in a field moves as the solution in closed form says", "[sim][model][charge_leak]") {
  const double q = 2e-6, E = 3e5, m = 0.4;
  const Model model = Model({.particles = 1, .springs = {}, .held = {}}, tests::all(1, m), tests::all(1, q),
                            {std::make_shared<ElectricField>(tests::uniform(Vec3(E, 0, 0)))})
                          .with_charge_leak(rate);
  const State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  const Trajectory run = simulate(model, start, {.integrator = "rk4", .time_step = 0.01, .steps = 100, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  const double v = q * E / (m * rate) * (1 - std::exp(-rate));
  CHECK(run.states.back().v(0, 0) == Approx(v).epsilon(1e-9));
  CHECK(run.states.back().x(0, 0) == Approx(q * E / (m * rate) * (1 - (1 - std::exp(-rate)) / rate)).epsilon(1e-9));
}

TEST_CASE("charge_leak: it is the only change of the charges, and not negative", "[sim][model][charge_leak][error]") {
  const Model model = suite::specimens().front().model;
  const Index charge = model.values().block(Model::charge_block).offset;
  CHECK_THROWS_WITH(model.with_charge_leak(-1), Catch::Contains("charge_leak_rate: must be >= 0 1/s"));
  CHECK_THROWS_WITH(model.with_charge_leak(1).with_charge_leak(1), Catch::Contains("a second one"));
  CHECK_THROWS_WITH(model.with_charge_leak(1).with_key_frames({charge}, {0, 1}), Catch::Contains("charges that leak"));
  CHECK_THROWS_WITH(model.with_key_frames({charge}, {0, 1}).with_charge_leak(1),
                    Catch::Contains("key frames of charges"));
  CHECK_THROWS_WITH(model.with_charge_leak(1).with_particles({{0, true}}), Catch::Contains("whose charges leak"));
  CHECK_FALSE(model.with_charge_leak(0).has_constant_values());
}
