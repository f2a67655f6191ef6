#include "sim/core/graph_levels.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

std::vector<Index> neighbors(const ParticleGraph& graph, Index i) {
  std::vector<Index> all;
  for (Index e = graph.begin(i); e < graph.begin(i + 1); ++e) all.push_back(graph.neighbor(e));
  return all;
}

}  // namespace

TEST_CASE("particle graph: neighbors ascend, and a pair that is given twice counts once", "[sim][core]") {
  const std::vector<Spring> springs{{4, 1}, {0, 1}, {1, 0}, {2, 1}}, couplings{{0, 4}, {1, 2}};
  const ParticleGraph graph(6, {springs, couplings});
  CHECK(graph.particles() == 6);
  CHECK(graph.pairs() == 4);
  CHECK(neighbors(graph, 0) == std::vector<Index>{1, 4});
  CHECK(neighbors(graph, 1) == std::vector<Index>{0, 2, 4});
  CHECK(neighbors(graph, 2) == std::vector<Index>{1});
  CHECK(neighbors(graph, 4) == std::vector<Index>{0, 1});
  for (Index i = 0; i < 6; ++i) {
    CHECK(graph.is_alone(i) == (i == 3 || i == 5));
    for (const Index j : neighbors(graph, i)) CHECK(graph.neighbor(graph.find(i, j)) == j);
  }
  const ParticleGraph none(0, {});
  CHECK(none.particles() == 0);
  CHECK(none.pairs() == 0);
}

TEST_CASE("graph levels: edges join the same level or successive ones, and what is left out has none", "[sim][core]") {
  // A ladder of 2 × 6 with a rung at each step, and a particle of its own.
  std::vector<Spring> springs;
  for (Index k = 0; k < 6; ++k) {
    springs.push_back({2 * k, 2 * k + 1});
    if (k < 5) springs.insert(springs.end(), {{2 * k, 2 * k + 2}, {2 * k + 1, 2 * k + 3}});
  }
  const ParticleGraph graph(13, {springs});
  const auto levels = GraphLevels::from_an_end(graph, [](Index i) { return i == 5; });
  REQUIRE(levels.particle.size() == 12);
  std::vector<Index> level(13, -1);
  for (std::size_t l = 0; l + 1 < levels.begin.size(); ++l)
    for (Index k = levels.begin[l]; k < levels.begin[l + 1]; ++k) level[levels.particle[k]] = static_cast<Index>(l);
  for (const Spring& s : springs)
    if (s.i != 5 && s.j != 5) CHECK(std::abs(level[s.i] - level[s.j]) <= 1);
  CHECK(level[5] == -1);
  CHECK(std::ranges::count(level, -1) == 1);
  CHECK(levels.begin.size() >= 8);  // from one end of the ladder: at least six levels, and that of particle 12
}
