#include <cstdlib>

#include "sim/core/particle_graph.hpp"
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
  // A ladder of 2 × 7 whose numbers have no order, and a particle of its own. Particle 0 is in its middle.
  std::vector<Spring> springs;
  const auto number = [](Index k, Index side) { return (5 * k + 6 + 7 * side) % 14; };
  for (Index k = 0; k < 7; ++k) {
    springs.push_back({number(k, 0), number(k, 1)});
    for (const Index side : {0, 1})
      if (k < 6) springs.push_back({number(k, side), number(k + 1, side)});
  }
  const ParticleGraph graph(15, {springs});
  const Index left_out = number(4, 1);
  const auto levels = GraphLevels::along(graph, [&](Index i) { return i == left_out; });
  REQUIRE(levels.particle.size() == 14);
  std::vector<Index> level(15, -1);
  for (std::size_t l = 0; l + 1 < levels.begin.size(); ++l)
    for (Index k = levels.begin[l]; k < levels.begin[l + 1]; ++k) level[levels.particle[k]] = static_cast<Index>(l);
  for (const Spring& s : springs)
    if (s.i != left_out && s.j != left_out) CHECK(std::abs(level[s.i] - level[s.j]) <= 1);
  CHECK(level[left_out] == -1);
  CHECK(std::ranges::count(level, -1) == 1);
  // From one end of the ladder to the other, and around the gap: nine distances, and that of particle 14.
  CHECK(levels.begin.size() - 1 == 10);
}

TEST_CASE("graph levels: numbers that run along the body are kept", "[sim][core]") {
  std::vector<Spring> springs;
  const Index across = 4, along = 20;
  for (Index i = 0; i < across * along; ++i) {
    if (i % across + 1 < across) springs.push_back({i, i + 1});
    if (i + across < across * along) springs.push_back({i, i + across});
  }
  const ParticleGraph graph(across * along, {springs});
  const auto levels =
      GraphLevels::along(graph, [](Index i) { return i / across == 7 || i / across == along - 1 || i == 0; });
  CHECK(std::ranges::is_sorted(levels.particle));
  CHECK(levels.particle.size() == across * along - 2 * across - 1);
  CHECK(levels.begin.size() - 1 == 18);  // two are left out
  CHECK(std::ranges::adjacent_find(levels.begin) == levels.begin.end());
  // A spring from the first to the last leaves two levels by number: too few.
  std::vector<Spring> ring = springs;
  ring.push_back({0, across * along - 1});
  CHECK_FALSE(std::ranges::is_sorted(
      GraphLevels::along(ParticleGraph(across * along, {ring}), [](Index) { return false; }).particle));
}

TEST_CASE("graph levels: ranges end at the levels nearest to equal ones", "[sim][core]") {
  const auto ends = [](std::initializer_list<Index> sizes, Index ranges, Index least_levels) {
    GraphLevels levels;
    levels.begin = {0};
    for (const Index size : sizes) levels.begin.push_back(levels.begin.back() + size);
    levels.particle.resize(levels.begin.back());
    return levels.divide(ranges, least_levels);
  };
  using Ends = std::vector<Index>;
  CHECK(ends({1, 1, 1, 1, 1, 1, 1, 1, 1}, 4, 1) == Ends{2, 4, 7, 9});  // of 2.25, 4.5, 6.75
  CHECK(ends({10, 10, 10, 10, 10}, 2, 1) == Ends{20, 50});             // of two that are as near, the first
  CHECK(ends({10, 10, 10, 10, 10}, 3, 1) == Ends{20, 30, 50});         // of 16.7, 33.3
  CHECK(ends({10, 10, 10, 10, 10}, 5, 2) == Ends{20, 40, 50});         // fewer, of two levels each
  CHECK(ends({1, 100, 1}, 2, 1) == Ends{1, 102});
  CHECK(ends({}, 4, 1) == Ends{0});
}
