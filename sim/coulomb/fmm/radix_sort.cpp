#include "sim/coulomb/fmm/radix_sort.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim::fmm {
namespace {

using Key = std::uint64_t;
constexpr double pairs_to_count = 1, pairs_to_move = 5;  // per key, in pairs of points summed directly

}  // namespace

void radix_sort(std::vector<Key>& keys, std::vector<Index>& order, int low_bit, int bits) {
  constexpr int digit = 11;
  constexpr std::size_t buckets = 1 << digit, block = 1 << 17;  // so that a block has many keys per bucket
  const std::size_t n = keys.size(), blocks = (n + block - 1) / block;
  std::vector<Key> other_keys(n);
  std::vector<Index> other_order(n);
  std::vector<std::array<std::size_t, buckets>> start(blocks);
  for (int shift = low_bit; shift < low_bit + bits; shift += digit) {
    const auto bucket = [&](Key key) { return key >> shift & (buckets - 1); };
    const auto for_keys = [&](std::size_t b, auto take) {
      for (std::size_t i = b * block; i < std::min(n, (b + 1) * block); ++i) take(i);
    };
    parallel_for(blocks, pairs_to_count * n, [&](Index b) {
      start[b].fill(0);
      for_keys(b, [&](std::size_t i) { ++start[b][bucket(keys[i])]; });
    });
    for (std::size_t k = 0, before = 0; k < buckets; ++k)
      for (std::size_t b = 0; b < blocks; ++b) before += std::exchange(start[b][k], before);
    parallel_for(blocks, pairs_to_move * n, [&](Index b) {
      for_keys(b, [&](std::size_t i) {
        const std::size_t to = start[b][bucket(keys[i])]++;
        other_keys[to] = keys[i];
        other_order[to] = order[i];
      });
    });
    keys.swap(other_keys);
    order.swap(other_order);
  }
}

}  // namespace pithball::sim::fmm
