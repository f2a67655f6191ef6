#include <random>

#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"
#include "tests/sim/sheet.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// Enough springs for several threads.
Model sheet_model(Index side) {
  Topology t = tests::sheet(side);
  const Index springs = static_cast<Index>(t.springs.size()), n = t.particles;
  const Vector k = Vector::LinSpaced(springs, 1, 3), l0 = Vector::LinSpaced(springs, 0.8, 1.2);
  return {std::move(t),
          Vector::Ones(n),
          Vector::Zero(n),
          {std::make_shared<SpringForce>(k, l0), std::make_shared<CubicSpring>(2 * k),
           std::make_shared<SpringDamper>(0.1 * k)}};
}

/// All that the springs and dampers compute.
struct Results {
  Points force, change;
  Variation gradient;
  std::vector<double> energies;
  std::vector<Mat3> blocks;
  Vector bound;
  bool operator==(const Results& o) const {
    return force == o.force && change == o.change && gradient.x == o.gradient.x && gradient.v == o.gradient.v &&
           gradient.values == o.gradient.values && energies == o.energies && blocks == o.blocks && bound == o.bound;
  }
};

/// Checks that each computation is shared among threads, or not, as expected.
Results results(const Model& model, const State& s, const Variation& d, bool expect_shared) {
  const Index n = model.particles();
  Results all{Points::Zero(3, n), Points::Zero(3, n), Variation::zero(n, model.values().size()), {}, {},
              Vector::Zero(n)};
  BlockMatrix J(model.topology());
  const auto compute = [&](const auto& part) {
    const std::uint64_t before = shared_loops();
    part();
    CHECK((shared_loops() > before) == expect_shared);
  };
  for (const auto& term : model.terms()) {
    compute([&] { term->add_force(model, s, all.force); });
    compute([&] { term->add_jvp(model, s, d, all.change); });
    compute([&] { term->add_vjp(model, s, d.x, all.gradient); });
    if (const auto* stiff = term->as<StiffPotential>()) {
      compute([&] { all.energies.push_back(term->energy(model, s).value()); });
      compute([&] { stiff->add_position_blocks(model, s, 1, false, J); });
      compute([&] { stiff->add_negative_curvature_bound(model, s, all.bound); });
    }
    if (const auto* damping = term->as<Dissipation>()) {
      compute([&] { all.energies.push_back(damping->dissipation(model, s)); });
      compute([&] { damping->add_velocity_blocks(model, s, 1, J); });
    }
  }
  J.for_each_block([&](Index, Index, const Mat3& B) { all.blocks.push_back(B); });
  return all;
}

/// A state, and a direction of the same size, without order.
std::pair<State, Variation> scattered(const Model& model) {
  const Index n = model.particles();
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  State s{0, Points(3, n), Points(3, n)};
  Variation d = Variation::zero(n, model.values().size());
  for (Points* points : {&s.x, &s.v, &d.x, &d.v})
    for (double& entry : points->reshaped()) entry = uniform(generator);
  for (double& entry : d.values) entry = uniform(generator);
  return {s, d};
}

}  // namespace

TEST_CASE("springs and dampers: results do not depend on the number of threads", "[sim][force][threads]") {
  const Model model = sheet_model(90);
  const auto [s, d] = scattered(model);
  Results alone;
  for (const int threads : {1, 2, 3}) {
    const tests::ThreadLimit limit(threads);
    const Results now = results(model, s, d, threads > 1);
    if (threads == 1) alone = now;
    CHECK(now == alone);
  }
  CHECK(alone.bound.maxCoeff() > 0);
}

TEST_CASE("springs and dampers: a further particle without springs changes nothing", "[sim][force][threads]") {
  const Model model = sheet_model(90);
  const Index n = model.particles();
  const auto [s, d] = scattered(model);
  std::vector<ParticleOrigin> origins{{.like = 5, .itself = false}};  // before the others, which get new numbers
  for (Index i = 0; i < n; ++i) origins.push_back({.like = i});
  const Model more = model.with_particles(origins);
  State wider{0, Points::Zero(3, n + 1), Points::Zero(3, n + 1)};
  wider.x.rightCols(n) = s.x;
  wider.v.rightCols(n) = s.v;
  const tests::ThreadLimit limit(2);
  for (std::size_t k = 0; k < model.terms().size(); ++k) {
    Points of_sheet = Points::Zero(3, n), of_all = Points::Zero(3, n + 1);
    model.terms()[k]->add_force(model, s, of_sheet);
    const std::uint64_t before = shared_loops();
    more.terms()[k]->add_force(more, wider, of_all);
    CHECK(shared_loops() > before);
    CHECK(of_all.rightCols(n) == of_sheet);
    CHECK(of_all.col(0).isZero(0));
  }
}
