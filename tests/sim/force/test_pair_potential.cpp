#include "sim/force/pair_potential.hpp"

#include <random>

#include "sim/force/lennard_jones.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

TEST_CASE("pair_potential: Lennard-Jones as an expression is lennard_jones", "[sim][force][equivalence]") {
  constexpr Index n = 40;
  const double epsilon = 0.7, sigma = 0.9, cutoff = 2;
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> place(0, 3);
  State s{0, Points(3, n), Points::Zero(3, n)};
  for (double& entry : s.x.reshaped()) entry = place(generator);
  const PairRange range{cutoff, make_neighbor_search("auto")};
  const auto model_of = [&](std::shared_ptr<ForceTerm> term) {
    return Model({.particles = n, .springs = {}, .held = {}}, Vector::Ones(n), Vector::Zero(n), {std::move(term)});
  };
  const Model known = model_of(std::make_shared<LennardJones>(epsilon, sigma, range));
  const Model written = model_of(std::make_shared<PairPotential>(
      std::make_shared<RadialExpression>("4*((0.9/r)^12 - (0.9/r)^6)"), epsilon, range));
  const ForceTerm &lj = *known.terms()[0], &own = *written.terms()[0];

  Points want = Points::Zero(3, n), got = want;
  lj.add_force(known, s, want);
  own.add_force(written, s, got);
  REQUIRE(want.norm() > 1);
  CHECK((got - want).norm() < 1e-12 * want.norm());  // powers by other roads
  CHECK(*own.energy(written, s) == Approx(*lj.energy(known, s)).epsilon(1e-12));

  // ε is the strength; σ has no counterpart.
  Variation d = Variation::zero(n, known.values().size()), e = Variation::zero(n, written.values().size());
  for (double& entry : d.x.reshaped()) entry = place(generator) - 1.5;
  e.x = d.x;
  d.values[2 * n] = e.values[2 * n] = 0.3;
  want.setZero(), got.setZero();
  lj.add_jvp(known, s, d, want);
  own.add_jvp(written, s, e, got);
  CHECK((got - want).norm() < 1e-12 * want.norm());
  Variation g = Variation::zero(n, known.values().size()), h = Variation::zero(n, written.values().size());
  lj.add_vjp(known, s, d.x, g);
  own.add_vjp(written, s, d.x, h);
  CHECK((h.x - g.x).norm() < 1e-12 * g.x.norm());
  CHECK(h.values[2 * n] == Approx(g.values[2 * n]).epsilon(1e-12));
}
