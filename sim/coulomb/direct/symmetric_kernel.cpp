#include "sim/coulomb/direct/symmetric_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/direct/symmetric_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "sim/coulomb/direct/symmetric_pairs.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

/// Within a block, a pair counts only once, for j > i; `ahead` is the first j − i.
template <class Tag>
struct Later {
  PITHBALL_KERNEL explicit Later(std::int64_t ahead)
      : later(hn::Gt(hn::Iota(Tag(), static_cast<hn::TFromD<Tag>>(ahead)), hn::Zero(Tag()))) {}
  PITHBALL_KERNEL hn::Vec<Tag> clear(hn::Vec<Tag> inverse) const { return hn::IfThenElseZero(later, inverse); }
  hn::Mask<Tag> later;
};
template <class Tag>
struct Always {
  PITHBALL_KERNEL explicit Always(std::int64_t) {}
  PITHBALL_KERNEL hn::Vec<Tag> clear(hn::Vec<Tag> inverse) const { return inverse; }
};

/// Pairs a tile of points i, i + 1, …, whose values are broadcast, with vectors of points j. The sums of points j are
/// loaded and stored once for the whole tile.
template <class Pair>
struct Tile {
  using Tag = typename Pair::Tag;
  using Real = hn::TFromD<Tag>;
  using Vector = hn::Vec<Tag>;
  using Job = SymmetricJob<Real>;
  static constexpr int points = 2;

  PITHBALL_KERNEL Tile(const Job& job, std::int64_t first) : i(first) {
    for (int t = 0; t < points; ++t) {
      for (int k = 0; k < Pair::channels; ++k) point[t][k] = hn::Set(Tag(), job.point[k][i + t]);
      for (int k = 0; k < Pair::sums; ++k) sum[t][k] = hn::Zero(Tag());
    }
  }
  /// Adds the pairs with the vector of points from j on, whose sums are at `sum_at[k]`.
  template <class Check>
  PITHBALL_KERNEL void add(const Job& job, std::int64_t j, Vector softening2, Real* const* sum_at) {
    Vector other[Pair::channels], other_sum[Pair::sums];
    for (int k = 0; k < Pair::channels; ++k) other[k] = hn::Load(Tag(), job.point[k] + j);
    for (int k = 0; k < Pair::sums; ++k) other_sum[k] = hn::Load(Tag(), sum_at[k]);
    for (int t = 0; t < points; ++t) Pair::add(point[t], other, softening2, Check(j - i - t), sum[t], other_sum);
    for (int k = 0; k < Pair::sums; ++k) hn::Store(other_sum[k], Tag(), sum_at[k]);
  }
  PITHBALL_KERNEL void store(const Job& job) const {
    for (int t = 0; t < points; ++t)
      for (int k = 0; k < Pair::sums; ++k)
        job.sum[k][i + t] += Pair::unit(k) * (hn::GetLane(hn::SumOfLanes(Tag(), sum[t][k])));
  }

  std::int64_t i;
  Vector point[points][Pair::channels], sum[points][Pair::sums];
};

template <class Pair>
void sum_blocks(const typename Tile<Pair>::Job& job, Block a, Block b) {
  using Tag = typename Pair::Tag;
  using Real = hn::TFromD<Tag>;
  constexpr int tile = Tile<Pair>::points;
  const std::int64_t lanes = hn::Lanes(Tag());
  const auto softening2 = hn::Set(Tag(), static_cast<Real>(job.softening2));
  const bool same = a.begin == b.begin;
  const std::int64_t places = (b.end - b.begin + lanes - 1) / lanes * lanes;
  alignas(64) Real sums[Pair::sums][max_block];
  for (int k = 0; k < Pair::sums; ++k) std::fill(sums[k], sums[k] + places, Real(0));

  for (std::int64_t i = a.begin; i < a.end; i += tile) {
    Tile<Pair> at(job, i);
    std::int64_t j = same ? i / lanes * lanes : b.begin;
    Real* sum_at[Pair::sums];
    const auto step = [&](auto check) HWY_ATTR {
      for (int k = 0; k < Pair::sums; ++k) sum_at[k] = sums[k] + (j - b.begin);
      at.template add<decltype(check)>(job, j, softening2, sum_at);
      j += lanes;
    };
    if (same)
      while (j < i + tile && j < b.end) step(Later<Tag>(0));
    while (j < b.end) step(Always<Tag>(0));
    at.store(job);
  }
  for (int k = 0; k < Pair::sums; ++k)
    for (std::int64_t j = b.begin; j < b.end; ++j) job.sum[k][j] += Pair::unit(k) * sums[k][j - b.begin];
}

/// Number of points from which evaluating each pair once was measured to be faster than evaluating it from both sides;
/// lower where roots are slower. (AVX-512: equal at 64, 1.2 times as fast at 145, 1.45 times from 500 on; AVX2: 1.1
/// times at 17, 1.75 times from 64 on.)
std::int64_t symmetric_from_here() { return PITHBALL_HAS_RSQRT14 ? 64 : 20; }

void run_blocks_here(Kernel kernel, const SymmetricJob<double>& job, Block a, Block b) {
  switch (kernel) {
    case Kernel::ChargeField:
      return sum_blocks<SymmetricCharge<true, false>>(job, a, b);
    case Kernel::ChargePotential:
      return sum_blocks<SymmetricCharge<false, true>>(job, a, b);
    case Kernel::ChargeBoth:
      return sum_blocks<SymmetricCharge<true, true>>(job, a, b);
    case Kernel::Jvp:
      return sum_blocks<SymmetricJvp>(job, a, b);
    case Kernel::Vjp:
      return sum_blocks<SymmetricVjp>(job, a, b);
    default:
      return;
  }
}

void run_single_blocks_here(Kernel kernel, const SymmetricJob<float>& job, Block a, Block b) {
  switch (kernel) {
    case Kernel::ChargeField:
      return sum_blocks<SymmetricSingle<true, false>>(job, a, b);
    case Kernel::ChargePotential:
      return sum_blocks<SymmetricSingle<false, true>>(job, a, b);
    case Kernel::ChargeBoth:
      return sum_blocks<SymmetricSingle<true, true>>(job, a, b);
    default:
      return;
  }
}

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <atomic>
#include <vector>

#include "sim/core/brief_wait.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/stop.hpp"

namespace pithball::sim::direct {
namespace {

HWY_EXPORT(run_blocks_here);
HWY_EXPORT(run_single_blocks_here);
HWY_EXPORT(symmetric_from_here);

/// Returns blocks of almost equal length: one if several threads do not pay off, otherwise four or more, none longer
/// than `max_block`. (Half of that length costs 4 % more time.)
std::vector<Block> cut(std::int64_t n) {
  constexpr std::int64_t unit = 2 * group;  // a whole vector of floats
  const std::int64_t units = (n + unit - 1) / unit;
  const std::int64_t blocks = n < 256 ? 1 : std::max({4L, std::min(8L, n / 125), (n + max_block - 1) / max_block});
  std::vector<Block> cut;
  for (std::int64_t b = 0; b < blocks; ++b)
    cut.push_back({units * b / blocks * unit, std::min(n, units * (b + 1) / blocks * unit)});
  return cut;
}

/// Calls run_blocks(a, b) for all pairs of blocks and for each block with itself.
template <class RunBlocks>
void run_all_blocks(std::int64_t n, RunBlocks run_blocks) {
  const std::vector<Block> block = cut(n);
  const int blocks = block.size();
  if (blocks == 1) return run_blocks(block[0], block[0]);

  // Round r pairs block a with block (r − a) mod blocks. Each block occurs once per round, so the order of additions to
  // it is fixed. A pair waits only for its two blocks to finish the previous round.
  struct Pair {
    int round, a, b;
  };
  std::vector<Pair> pairs;
  for (int round = 0; round < blocks; ++round)
    for (int a = 0; a < blocks; ++a)
      if (const int b = (round - a + blocks) % blocks; a <= b) pairs.push_back({round, a, b});
  std::vector<std::atomic<int>> rounds_done(block.size());
  // Waits are rare and short (a pair takes about 10 µs), unless other programs delay the other thread.
  const auto wait = [&](int b, int round) {
    std::atomic<int>& done = rounds_done[b];
    if (brief_wait([&] { return done.load(std::memory_order_acquire) >= round; })) return;
    for (int now; (now = done.load(std::memory_order_acquire)) < round;) done.wait(now, std::memory_order_acquire);
  };
  const auto finish = [&](int b, int round) {
    rounds_done[b] = round + 1;  // sequentially consistent with the count of sleepers that notify_all reads
    rounds_done[b].notify_all();
  };
  parallel_in_order(static_cast<Index>(pairs.size()), static_cast<double>(n) * static_cast<double>(n), [&](Index k) {
    const auto [round, a, b] = pairs[k];
    wait(a, round);
    wait(b, round);
    if (!is_stopped()) run_blocks(block[a], block[b]);  // a skipped pair must finish too, as others wait for it
    finish(a, round);
    if (b != a) finish(b, round);  // a second store would overwrite rounds finished in the meantime
  });
  require_not_stopped();
}

}  // namespace

std::int64_t symmetric_from() { return HWY_DYNAMIC_DISPATCH(symmetric_from_here)(); }

void run_symmetric(Kernel kernel, const SymmetricJob<double>& job, std::int64_t n) {
  const auto run_blocks = HWY_DYNAMIC_DISPATCH(run_blocks_here);
  run_all_blocks(n, [&](Block a, Block b) { run_blocks(kernel, job, a, b); });
}

void run_symmetric(Kernel kernel, const SymmetricJob<float>& job, std::int64_t n) {
  const auto run_blocks = HWY_DYNAMIC_DISPATCH(run_single_blocks_here);
  run_all_blocks(n, [&](Block a, Block b) { run_blocks(kernel, job, a, b); });
}

void run_symmetric(Kernel kernel, const SymmetricJob<double>& job, Block a, Block b) {
  HWY_DYNAMIC_DISPATCH(run_blocks_here)(kernel, job, a, b);
}

}  // namespace pithball::sim::direct
#endif
