#include "sim/coulomb/direct/partial_pattern.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace pithball::sim::direct {
namespace {

/// Places that one thread takes at once.
constexpr Index places_at_once = 64 * group;

/// Appends places for points begin ≤ k < end, in blocks that sum over the sources of one range.
void add_targets(PairPattern& pattern, Index begin, Index end, Index range) {
  const Index first = pattern.places;
  for (Index k = begin; k < end; ++k) pattern.place.push_back(first + k - begin);
  pattern.places = first + padded_size(end - begin);
  for (Index at = first; at < pattern.places; at += places_at_once)
    pattern.blocks.push_back({at, std::min(at + places_at_once, pattern.places), range, range + 1});
}

}  // namespace

std::shared_ptr<const PairPattern> partial_pattern(Index n, const std::vector<Index>& some) {
  auto pattern = std::make_shared<PairPattern>();
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  std::ranges::set_difference(all, some, std::back_inserter(pattern->particle));
  const Index others = pattern->particle.size();
  pattern->particle.insert(pattern->particle.end(), some.begin(), some.end());
  pattern->ranges = {{others, n}, {0, n}};
  add_targets(*pattern, 0, others, 0);
  add_targets(*pattern, others, n, 1);
  return pattern;
}

}  // namespace pithball::sim::direct
