#include "sim/core/particle_graph.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "tests/sim/sheet.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Topology chain_of(Index particles) {
  Topology t{.particles = particles, .springs = {}, .held = {}};
  for (Index i = 0; i + 1 < particles; ++i) t.springs.push_back({i, i + 1});
  return t;
}

/// All particles are joined to the first.
Topology star(Index particles) {
  Topology t{.particles = particles, .springs = {}, .held = {}};
  for (Index i = 1; i < particles; ++i) t.springs.push_back({i, 0});
  return t;
}

/// Layers, each joined to the next completely: a layer has more springs than a range should have.
Topology thick_layers() {
  constexpr Index layers = 12, size = 40;
  Topology t{.particles = layers * size, .springs = {}, .held = {}};
  for (Index i = 0; i < (layers - 1) * size; ++i)
    for (Index j = 0; j < size; ++j) t.springs.push_back({i, (i / size + 1) * size + j});
  return t;
}

/// A sheet among many particles without springs.
Topology sheet_in_dust() {
  Topology t = tests::sheet(60);
  for (Spring& s : t.springs) s = {3 * s.i + 1, 3 * s.j + 1};
  t.particles *= 30;
  t.held.clear();
  return t;
}

/// Sheets that nothing joins, their particles in a random order, some pairs with two springs, and particles without
/// any.
Topology scattered_sheets() {
  Topology t{.particles = 0, .springs = {}, .held = {}};
  for (const Index side : {40, 3, 30}) {
    for (const Spring& s : tests::sheet(side).springs) t.springs.push_back({s.i + t.particles, s.j + t.particles});
    t.particles += side * side + 5;
  }
  for (std::size_t e = 0; e < 50; ++e) t.springs.push_back(t.springs[7 * e]);
  std::vector<Index> order(static_cast<std::size_t>(t.particles));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::mt19937 generator(5);
  std::ranges::shuffle(order, generator);
  std::ranges::shuffle(t.springs, generator);
  for (Spring& s : t.springs) s = {order[s.i], order[s.j]};
  return t;
}

/// Checks that the chunks have every spring once, and those of a pass no particle in common. Returns the number of
/// springs in the largest chunk.
std::size_t check_chunks(const Topology& t) {
  const SpringChunks chunks(t);
  CHECK(chunks.springs() == std::ssize(t.springs));
  std::set<Index> springs;
  std::size_t largest = 0, of_chunks = 0;
  for (const int pass : {0, 1}) {
    std::set<Index> of_pass;
    std::size_t sum = 0;
    for (Index k = chunks.first_chunk(pass); k < chunks.first_chunk(pass + 1); ++k) {
      std::set<Index> particles;
      Index last = -1;
      std::size_t count = 0;
      chunks.for_each(k, [&](Index e) {
        const Index smaller = std::min(t.springs[e].i, t.springs[e].j);
        CHECK(smaller >= last);
        last = smaller;
        ++count;
        springs.insert(e);
        particles.insert({t.springs[e].i, t.springs[e].j});
      });
      largest = std::max(largest, count);
      of_chunks += count;
      sum += particles.size();
      of_pass.merge(particles);
    }
    CHECK(of_pass.size() == sum);
  }
  CHECK(springs.size() == t.springs.size());
  CHECK(of_chunks == t.springs.size());
  return largest;
}

}  // namespace

TEST_CASE("spring chunks: those of a pass have no particle in common", "[sim][core][threads]") {
  const Topology sheet_of_many = tests::sheet(90), several = scattered_sheets(), long_chain = chain_of(9000),
                 dusty = sheet_in_dust();
  // Two threads have work where a chunk has much less than half of the springs.
  CHECK(check_chunks(sheet_of_many) < sheet_of_many.springs.size() / 5);
  CHECK(check_chunks(several) < several.springs.size() / 2);
  CHECK(check_chunks(long_chain) < long_chain.springs.size() / 5);
  CHECK(check_chunks(dusty) < dusty.springs.size() / 4);
  check_chunks(thick_layers());
  check_chunks(star(3000));
  check_chunks(Topology{.particles = 7, .springs = {}, .held = {}});
  check_chunks(Topology{.particles = 0, .springs = {}, .held = {}});
}
