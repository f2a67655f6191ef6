#include <algorithm>
#include <memory>
#include <numeric>

#include "sim/coulomb/direct/pair_sums.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using namespace direct_cases;
using direct::PairPattern;
using direct::PairSums;

namespace {

/// Blocks of these sizes, of which b and c ≠ b meet unless b + c is a multiple of 5; a chunk holds so many blocks.
std::shared_ptr<PairPattern> pattern_of(const std::vector<Index>& sizes, Index blocks_in_chunk) {
  auto pattern = std::make_shared<PairPattern>();
  std::vector<PairPattern::Range> points;
  for (Index size : sizes) {
    const Index first = points.empty() ? 0 : points.back().end;
    points.push_back({first, first + size});
    for (Index k = 0; k < size; ++k) pattern->place.push_back(pattern->places + k);
    pattern->blocks.push_back({pattern->places, pattern->places + direct::padded_size(size)});
    pattern->places = pattern->blocks.back().end;
  }
  pattern->particle.resize(points.back().end);
  std::iota(pattern->particle.rbegin(), pattern->particle.rend(), Index{0});
  const Index blocks = sizes.size();
  for (Index b = 0; b < blocks; ++b) {
    pattern->blocks[b].first = pattern->ranges.size();
    for (Index c = 0; c < blocks; ++c) {
      if (b != c && (b + c) % 5 == 0) continue;
      const bool joins = c > 0 && static_cast<Index>(pattern->ranges.size()) > pattern->blocks[b].first &&
                         pattern->ranges.back().end == points[c].begin;
      if (joins)
        pattern->ranges.back().end = points[c].end;
      else
        pattern->ranges.push_back(points[c]);
    }
    pattern->blocks[b].last = pattern->ranges.size();
  }
  for (Index b = 0; blocks_in_chunk > 0 && b < blocks; b += blocks_in_chunk) {
    const Index last = std::min(b + blocks_in_chunk, blocks);
    pattern->chunks.push_back({b, last, {points[b].begin, points[last - 1].end}});
  }
  return pattern;
}

/// Everything that a plan sums, one row below the other: potential and field, the same each alone, jvp, and vjp to
/// positions and charges.
Eigen::MatrixXd all_sums(const Cloud& cloud, std::shared_ptr<const PairPattern> pattern, double softening) {
  const PairSums plan(cloud.x, std::move(pattern), softening);
  const Index n = cloud.size();
  Sums both(n), alone(n);
  Points df = Points::Zero(3, n), dx = Points::Zero(3, n);
  Vector dq = Vector::Zero(n);
  plan.evaluate({&cloud.q, nullptr}, {&both.potential, &both.field, nullptr});
  plan.evaluate({&cloud.q, nullptr}, {nullptr, &alone.field, nullptr});
  plan.evaluate({&cloud.q, nullptr}, {&alone.potential, nullptr, nullptr});
  plan.force_jvp(cloud.q, cloud.u, cloud.dq, df);
  plan.force_vjp(cloud.q, cloud.w, dx, dq);
  Eigen::MatrixXd rows(15, n);
  rows << both.potential.transpose(), both.field, alone.potential.transpose(), alone.field, df, dx, dq.transpose();
  return rows;
}

const std::vector<Index> sizes{3, 300, 17, 8, 1, 40, 520, 64, 255, 2, 90};

}  // namespace

TEST_CASE("pair sums: pairs of a chunk evaluated once give the same sums", "[sim][coulomb][equivalence]") {
  const Cloud cloud(std::accumulate(sizes.begin(), sizes.end(), Index{0}));
  with_every_instruction_set([&] {
    for (double softening : {0.0, 0.3}) {
      const Eigen::MatrixXd want = all_sums(cloud, pattern_of(sizes, 0), softening);
      for (Index blocks_in_chunk : {1, 2, 4, 11}) {
        const Eigen::MatrixXd got = all_sums(cloud, pattern_of(sizes, blocks_in_chunk), softening);
        for (Index row = 0; row < want.rows(); ++row) {
          CAPTURE(softening, blocks_in_chunk, row);
          CHECK(relative_error(got.row(row), want.row(row)) < rounding);
        }
      }
    }
  });
}

TEST_CASE("pair sums: bit-identical for any number of threads", "[sim][coulomb]") {
  const Cloud cloud(std::accumulate(sizes.begin(), sizes.end(), Index{0}));
  const auto sums_on = [&](int threads) {
    const pithball::tests::ThreadLimit limit(threads);
    return all_sums(cloud, pattern_of(sizes, 2), 0);
  };
  const Eigen::MatrixXd one = sums_on(1);
  for (int threads : {2, 3, 7}) CHECK(sums_on(threads) == one);
}

TEST_CASE("pair sums: uncharged points may lie at one place", "[sim][coulomb]") {
  Cloud cloud(60);
  cloud.q[38] = cloud.q[39] = 0;
  cloud.x.col(39) = cloud.x.col(38);
  const Sums want = evaluate(cloud.x, &cloud.q, nullptr);
  for (Index blocks_in_chunk : {1, 2}) {  // with other chunks, whose points are all charged, and without
    const PairSums plan(cloud.x, pattern_of({30, 30}, blocks_in_chunk), 0);
    Sums sums(60);
    plan.evaluate({&cloud.q, nullptr}, {&sums.potential, &sums.field, nullptr});
    CHECK(relative_error(sums.field, want.field) < rounding);
    CHECK(relative_error(sums.potential, want.potential) < rounding);
  }
}
