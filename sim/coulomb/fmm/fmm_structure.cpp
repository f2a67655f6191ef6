#include "sim/coulomb/fmm/fmm_structure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim::fmm {
namespace {

template <class Key>
FmmStructure::Runs runs_by(std::vector<Octree::Pair> pairs, Key key) {
  std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  FmmStructure::Runs runs{std::move(pairs), {}};
  for (std::size_t k = 0; k < runs.pairs.size(); ++k)
    if (k == 0 || key(runs.pairs[k]) != key(runs.pairs[k - 1])) runs.start.push_back(k);
  runs.start.push_back(runs.pairs.size());
  return runs;
}

}  // namespace

double Accuracy::min_side() const { return softening * std::sqrt(1.5 / tolerance); }

FmmStructure::FmmStructure(const Points& x, const Accuracy& accuracy, const Orders& orders)
    : accuracy_(accuracy),
      operators_(orders.operators),
      tree_(x, operators_->costs, orders.expansions ? accuracy.min_side() : std::numeric_limits<double>::infinity()),
      by_box_(runs_by(tree_.uneven(), [](const Octree::Pair& pair) { return pair.target; })),
      by_leaf_(runs_by(tree_.uneven(), [](const Octree::Pair& pair) { return pair.source; })) {
  arrange_near();
  group_far();
  if (orders.settled || (tree_.far().empty() && tree_.uneven().empty())) settle(nullptr);
}

std::optional<std::shared_ptr<const FmmStructure>> FmmStructure::settled() const {
  const std::lock_guard lock(mutex_);
  return settled_;
}

void FmmStructure::settle(std::shared_ptr<const FmmStructure> better) const {
  const std::lock_guard lock(mutex_);
  if (!settled_) settled_ = std::move(better);
}

Index FmmStructure::crossings(const Points& x) const {
  const auto better = settled();
  return better && *better ? (*better)->tree_.crossings(x) : tree_.crossings(x);
}

void FmmStructure::arrange_near() {
  near_ = std::make_shared<direct::PairPattern>();
  near_->places = tree_.places();
  near_->particle = tree_.order();
  near_->place = tree_.place();
  for (std::size_t leaf = 0; leaf < tree_.leaves().size(); ++leaf) {
    const Box& target = tree_.box(tree_.leaves()[leaf]);
    direct::PairPattern::Block block{target.place_begin, target.place_end, static_cast<Index>(near_->ranges.size()), 0};
    for (int b : tree_.near(leaf)) {
      const Box& source = tree_.box(b);
      const bool joins =
          static_cast<Index>(near_->ranges.size()) > block.first && near_->ranges.back().end == source.begin;
      if (joins)
        near_->ranges.back().end = source.end;
      else
        near_->ranges.push_back({source.begin, source.end});
    }
    block.last = near_->ranges.size();
    near_->blocks.push_back(block);
  }
  cut_near();
}

/// With longer chunks, more pairs have both points in the same chunk. Chunks become shorter toward the end, so that
/// threads finish at about the same time. A small number of points is not divided.
void FmmStructure::cut_near() {
  constexpr Index parts = 32, few = 1024;  // a chunk has a 32nd of the remaining points, at least `few`
  const Index n = near_->points();
  if (n < 8 * few) return;  // with so few chunks, threads would wait longer than the time saved
  direct::PairPattern::Chunk chunk;
  for (int leaf : tree_.leaves()) {
    const Box& box = tree_.box(leaf);
    if (chunk.last > chunk.first && box.end - chunk.points.begin > std::max(few, (n - chunk.points.begin) / parts)) {
      near_->chunks.push_back(chunk);
      chunk = {chunk.last, chunk.last, {box.begin, box.begin}};
    }
    ++chunk.last;
    chunk.points.end = box.end;
  }
  near_->chunks.push_back(chunk);
}

void FmmStructure::group_far() {
  const std::vector<Octree::Pair>& pairs = tree_.far();
  far_.resize(pairs.size());
  // A compromise: long chunks fill the vectors better, but many chunks keep all threads busy.
  constexpr std::size_t chunk_length = 16384;
  constexpr double cost = 20;  // of grouping a pair of boxes, in pairs of points
  const double count = pairs.size();
  const std::size_t threads = threads_for(operators_->costs.translation * count);
  const std::size_t chunks = std::max(pairs.size() / chunk_length, threads > 1 ? 2 * threads : 1);
  std::vector<std::size_t> cut{0};
  for (std::size_t c = 1; c < chunks; ++c) {
    std::size_t at = std::max(cut.back(), pairs.size() * c / chunks);
    while (at > 0 && at < pairs.size() && pairs[at].target == pairs[at - 1].target) ++at;
    cut.push_back(at);
  }
  cut.push_back(pairs.size());
  groups_.resize(chunks);
  parallel_for(chunks, cost * count, [&](Index chunk) {
    const std::size_t c = chunk;
    const auto number = [&](const Octree::Pair& pair) {
      const Box &target = tree_.box(pair.target), &source = tree_.box(pair.source);
      Offset offset;
      for (std::size_t a = 0; a < 3; ++a) offset[a] = target.cell[a] - source.cell[a];
      return static_cast<std::size_t>(Translations::number_of(offset));
    };
    std::array<std::size_t, Translations::offsets + 1> start{};
    for (std::size_t k = cut[c]; k < cut[c + 1]; ++k) ++start[number(pairs[k]) + 1];
    start[0] = cut[c];
    for (std::size_t o = 0; o < Translations::offsets; ++o) {
      start[o + 1] += start[o];
      if (start[o + 1] > start[o])
        groups_[c].push_back({static_cast<int>(o), far_.data() + start[o], far_.data() + start[o + 1]});
    }
    for (std::size_t k = cut[c]; k < cut[c + 1]; ++k) far_[start[number(pairs[k])]++] = pairs[k];
  });
}

}  // namespace pithball::sim::fmm
