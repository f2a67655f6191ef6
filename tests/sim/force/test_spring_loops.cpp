#include <random>

#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// Enough springs for several threads.
Model sheet(Index side) {
  Topology t{.particles = side * side, .springs = {}, .held = {{0, {}}}};
  for (Index a = 0; a < side; ++a)
    for (Index b = 0; b + 1 < side; ++b) {
      t.springs.push_back({a * side + b, a * side + b + 1});
      t.springs.push_back({(b + 1) * side + a, b * side + a});
    }
  const Index springs = static_cast<Index>(t.springs.size()), n = t.particles;
  const Vector k = Vector::LinSpaced(springs, 1, 3), l0 = Vector::LinSpaced(springs, 0.8, 1.2);
  return {std::move(t),
          Vector::Ones(n),
          Vector::Zero(n),
          {std::make_shared<SpringForce>(k, l0), std::make_shared<SpringDamper>(0.1 * k)}};
}

/// All that the springs and dampers compute.
struct Results {
  Points force, change;
  Variation gradient;
  std::vector<double> energies;
  std::vector<Mat3> blocks;
  bool operator==(const Results& o) const {
    return force == o.force && change == o.change && gradient.x == o.gradient.x && gradient.v == o.gradient.v &&
           gradient.values == o.gradient.values && energies == o.energies && blocks == o.blocks;
  }
};

Results results(const Model& model, const State& s, const Variation& d) {
  const Index n = model.particles();
  Results all{Points::Zero(3, n), Points::Zero(3, n), Variation::zero(n, model.values().size()), {}, {}};
  BlockMatrix J(model.topology());
  for (const auto& term : model.terms()) {
    term->add_force(model, s, all.force);
    term->add_jvp(model, s, d, all.change);
    term->add_vjp(model, s, d.x, all.gradient);
    if (const auto energy = term->energy(model, s)) all.energies.push_back(*energy);
    if (const auto* stiff = term->as<StiffPotential>()) stiff->add_position_blocks(model, s, 1, false, J);
    if (const auto* damping = term->as<Dissipation>()) {
      all.energies.push_back(damping->dissipation(model, s));
      damping->add_velocity_blocks(model, s, 1, J);
    }
  }
  J.for_each_block([&](Index, Index, const Mat3& B) { all.blocks.push_back(B); });
  return all;
}

}  // namespace

TEST_CASE("springs and dampers: results do not depend on the number of threads", "[sim][force][threads]") {
  const Model model = sheet(90);
  const Index n = model.particles();
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  State s{0, Points(3, n), Points(3, n)};
  Variation d = Variation::zero(n, model.values().size());
  for (Points* points : {&s.x, &s.v, &d.x, &d.v})
    for (double& entry : points->reshaped()) entry = uniform(generator);
  for (double& entry : d.values) entry = uniform(generator);

  Results alone;
  for (const int threads : {1, 2, 3}) {
    const tests::ThreadLimit limit(threads);
    const std::uint64_t before = shared_loops();
    const Results now = results(model, s, d);
    if (threads == 1) alone = now;
    CHECK((threads > 1) == (shared_loops() > before));
    CHECK(now == alone);
  }
}
