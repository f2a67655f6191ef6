// Sums over pairs of many particles whose numbers say nothing of where they are.
#include "sim/force/pair_force.hpp"

#include <numeric>
#include <random>

#include "sim/force/contact_penalty.hpp"
#include "sim/force/lennard_jones.hpp"
#include "sim/force/sph_fluid.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/neighbors/spatial_order.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

constexpr Index per_axis = 28, count = per_axis * per_axis * per_axis;  // more than order_from
constexpr double range = 1.5;
using Numbers = std::vector<NeighborList::Number>;

double number_between(std::mt19937_64& generator, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(generator);
}

/// A cubic lattice of spacing 1 whose points have moved a little, row by row.
State jittered_lattice() {
  std::mt19937_64 generator(6);
  State s{0, Points(3, count), Points(3, count)};
  for (Index i = 0; i < count; ++i) {
    const Vec3 site(i % per_axis, i / per_axis % per_axis, i / per_axis / per_axis);
    for (int a = 0; a < 3; ++a) {
      s.x(a, i) = site[a] + number_between(generator, -0.05, 0.05);
      s.v(a, i) = number_between(generator, -1, 1);
    }
  }
  return s;
}

Numbers shuffled() {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(3));
  return numbers;
}

Model of_masses(const Vector& mass, std::vector<std::shared_ptr<ForceTerm>> terms) {
  return Model({.particles = count, .springs = {}, .held = {}}, mass, Vector::Zero(count), std::move(terms));
}

/// Every force over pairs, each particle with a mass of its own.
Model all_pair_forces(const Vector& mass, const std::string& method = "auto", double skin = 0) {
  const auto search = [&] { return make_neighbor_search(method, skin); };
  const FluidPairs fluid(search(), kernel::WendlandC2(range / 2, 3), range / 2, 3);
  const auto spheres = std::make_shared<ContactPenalty>(Vector::Constant(count, 0.51), 200.0, search());
  return of_masses(mass, {std::make_shared<LennardJones>(1.3, 0.9, PairRange{range, search()}), spheres,
                          std::make_shared<ContactDamper>(spheres, 3.0),
                          std::make_shared<SphPressure>(fluid, kernel::Polytropic{2, 1.4}),
                          std::make_shared<SphViscosity>(fluid, 0.7)});
}

Vector masses() {
  std::mt19937_64 generator(8);
  Vector mass(count);
  for (double& entry : mass) entry = number_between(generator, 0.5, 2);
  return mass;
}

}  // namespace

TEST_CASE("pair_rows: sums over particles in no order are those over the same particles in order",
          "[sim][force][equivalence]") {
  const State s = jittered_lattice();
  const Numbers numbers = shuffled();
  const State t{0, s.x(Eigen::all, numbers), s.v(Eigen::all, numbers)};
  REQUIRE(spatial_order(s.x, range).empty());
  REQUIRE_FALSE(spatial_order(t.x, range).empty());
  const Vector mass = masses();
  const Model in_order = all_pair_forces(mass), in_none = all_pair_forces(mass(numbers));
  const double rounding = 1e-12;  // of sums of some ten terms that partly cancel
  for (std::size_t k = 0; k < in_order.terms().size(); ++k) {
    const ForceTerm &want = *in_order.terms()[k], &got = *in_none.terms()[k];
    INFO(want.traits().name);
    Points f = Points::Zero(3, count), g = f;
    want.add_force(in_order, s, f);
    got.add_force(in_none, t, g);
    REQUIRE(f.norm() > 1);
    CHECK((g - f(Eigen::all, numbers)).norm() < rounding * f.norm());
    if (const auto energy = want.energy(in_order, s))
      CHECK(*got.energy(in_none, t) == Approx(*energy).epsilon(rounding));
    if (!want.traits().differentiable) continue;

    Variation d = Variation::zero(count, in_order.values().size()), e = d;
    d.x = s.v, e.x = t.v;  // any vectors
    d.v = s.x, e.v = t.x;
    d.values.tail(in_order.values().size() - 2 * count).setConstant(0.3);
    e.values = d.values;
    f.setZero(), g.setZero();
    want.add_jvp(in_order, s, d, f);
    got.add_jvp(in_none, t, e, g);
    REQUIRE(f.norm() > 1);
    CHECK((g - f(Eigen::all, numbers)).norm() < rounding * f.norm());

    Variation back = Variation::zero(count, in_order.values().size()), back_got = back;
    want.add_vjp(in_order, s, s.v, back);
    got.add_vjp(in_none, t, t.v, back_got);
    REQUIRE(back.x.norm() > 1);
    CHECK((back_got.x - back.x(Eigen::all, numbers)).norm() < rounding * back.x.norm());
    CHECK(back_got.values.sum() == Approx(back.values.sum()).epsilon(1e-10));  // values of particles change places
  }
}

TEST_CASE("pair_rows: sums over particles in no order do not depend on how pairs are found, to the last bit",
          "[sim][force][equivalence]") {
  const State s = jittered_lattice();
  const Numbers numbers = shuffled();
  const State t{0, s.x(Eigen::all, numbers), s.v(Eigen::all, numbers)};
  const Vector mass = masses();
  const auto sum = [&](const std::string& method, double skin) {
    const Model model = all_pair_forces(mass, method, skin);
    Points f = Points::Zero(3, count);
    for (const auto& term : model.terms()) term->add_force(model, t, f);
    return f;
  };
  const Points want = sum("cell_list", 0);
  for (const std::string method : {"hashed_grid", "tree"})
    for (const double skin : {0.0, 0.2}) {
      INFO(method << ", skin " << skin);
      CHECK(sum(method, skin) == want);
    }
}

TEST_CASE("pair_rows: a fluid's densities come back by particle", "[sim][force]") {
  const State s = jittered_lattice();
  const Numbers numbers = shuffled();
  const Vector mass = masses();
  const FluidPairs fluid(make_neighbor_search("auto"), kernel::CubicSpline(range / 2, 3), range / 2, 3);
  const Vector want = fluid.density(of_masses(mass, {}), s.x),
               got = fluid.density(of_masses(mass(numbers), {}), s.x(Eigen::all, numbers));
  REQUIRE(want.minCoeff() > 0);
  REQUIRE(want.maxCoeff() > 1.5 * want.minCoeff());
  CHECK((got - want(numbers)).cwiseAbs().maxCoeff() < 1e-13 * want.maxCoeff());
}
