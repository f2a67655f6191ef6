#include "sim/coulomb/fmm/far_field.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>

#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/fmm/translation_kernel.hpp"

namespace pithball::sim::fmm {
namespace {

// Leaves that a thread processes per turn; one leaf takes about a microsecond.
constexpr Index leaves_at_once = 4;

}  // namespace

Expansions FarField::expand(const Weights& weights) const {
  const auto numbers = operators_.stride() * static_cast<Index>(tree_.boxes().size());
  Expansions made{{1, numbers}, {1, numbers}};
  made.multipoles.set_zero();
  made.locals.set_zero();
  make_multipoles(weights, made.multipoles[0]);
  make_locals(weights, made.multipoles[0], made.locals[0]);
  return made;
}

void FarField::add_values(const Expansions& expansions, const Wanted& wanted, const Values& values) const {
  for_leaves([&](int leaf) {
    operators_.points.add_values(Harmonics::Regular, frame(tree_.box(leaf)), of(expansions.locals[0], leaf), wanted,
                                 points(tree_.box(leaf)), values);
  });
  for_runs(structure_.uneven_by_leaf(), [&](int box, int leaf) {
    operators_.points.add_values(Harmonics::Irregular, frame(tree_.box(box)), of(expansions.multipoles[0], box), wanted,
                                 points(tree_.box(leaf)), values);
  });
}

Eigen::Vector4d FarField::values_at(const Expansions& expansions, int leaf, Index place) const {
  // Expansions are evaluated at whole groups of points.
  const Index first = place / Octree::group * Octree::group;
  const PointRange around{{x_[0] + first, x_[1] + first, x_[2] + first}, 0, Octree::group};
  direct::Channels sums(4, Octree::group);
  sums.set_zero();
  const Values values{.potential = sums[3], .field = {sums[0], sums[1], sums[2]}};
  constexpr Wanted wanted{.potential = true, .field = true};
  operators_.points.add_values(Harmonics::Regular, frame(tree_.box(leaf)), of(expansions.locals[0], leaf), wanted,
                               around, values);
  const auto& pairs = structure_.uneven_by_leaf().pairs;
  const auto [begin, end] = std::ranges::equal_range(pairs, leaf, {}, &Octree::Pair::source);
  for (auto pair = begin; pair != end; ++pair)
    operators_.points.add_values(Harmonics::Irregular, frame(tree_.box(pair->target)),
                                 of(expansions.multipoles[0], pair->target), wanted, around, values);
  const Index at = place - first;
  return {sums[0][at], sums[1][at], sums[2][at], sums[3][at]};
}

template <class Work>
void FarField::for_leaves(Work work) const {
  const std::vector<int>& leaves = tree_.leaves();
  const double pairs = operators_.costs.point * tree_.places();
  parallel_for(
      leaves.size(), pairs, [&](Index k) { work(leaves[k]); }, leaves_at_once);
}

template <class Work>
void FarField::for_runs(const FmmStructure::Runs& runs, Work work) const {
  // A leaf holds at least a group of places.
  const double pairs = operators_.costs.point * (Octree::group * runs.pairs.size());
  parallel_for(
      runs.size(), pairs,
      [&](Index run) {
        const std::size_t r = run;
        for (std::size_t k = runs.start[r]; k < runs.start[r + 1]; ++k)
          work(runs.pairs[k].target, runs.pairs[k].source);
      },
      leaves_at_once);
}

void FarField::make_multipoles(const Weights& weights, double* multipoles) const {
  for_leaves([&](int leaf) {
    const Box& box = tree_.box(leaf);
    operators_.points.add_moments(Harmonics::Regular, frame(box), points(box), weights, of(multipoles, leaf));
  });
  for (int level = tree_.deepest() - 1; level >= Octree::first_far_level; --level)
    move_octants(
        level, true, [&](int, int child) { return of(multipoles, child); },
        [&](int parent, int) { return of(multipoles, parent); });
}

void FarField::make_locals(const Weights& weights, double* multipoles, double* locals) const {
  const auto& chunks = structure_.far();
  const double pairs = operators_.costs.translation * tree_.far().size();
  parallel_for(chunks.size(), pairs, [&](Index c) {
    const auto scratch = hwy::AllocateAligned<double>(translation_scratch(operators_.order()));
    for (const FmmStructure::Group& group : chunks[c]) {
      const Translation& translation = operators_.translations.multipole_to_local(group.offset);
      Batch batch;
      for (const Octree::Pair& pair : group) {
        batch.add(of(multipoles, pair.source), of(locals, pair.target));
        if (batch.full()) translate(translation, batch, scratch.get());
      }
      translate(translation, batch, scratch.get());
    }
  });
  for_runs(structure_.uneven_by_box(), [&](int box, int leaf) {
    operators_.points.add_moments(Harmonics::Irregular, frame(tree_.box(box)), points(tree_.box(leaf)), weights,
                                  of(locals, box));
  });
  for (int level = Octree::first_far_level; level < tree_.deepest(); ++level)
    move_octants(
        level, false, [&](int parent, int) { return of(locals, parent); },
        [&](int, int child) { return of(locals, child); });
}

template <class From, class To>
void FarField::move_octants(int level, bool up, From from, To to) const {
  constexpr int block = 64;  // parents whose children are translated together
  const int begin = tree_.level_begin(level), end = tree_.level_begin(level + 1);
  const int children = tree_.level_begin(level + 2) - end;
  parallel_for((end - begin + block - 1) / block, operators_.costs.translation * children, [&](Index b) {
    const auto scratch = hwy::AllocateAligned<double>(translation_scratch(operators_.order()));
    const int first = begin + static_cast<int>(b) * block;
    for (int octant = 0; octant < 8; ++octant) {
      const Translation& translation =
          up ? operators_.translations.multipole_to_parent(octant) : operators_.translations.local_to_child(octant);
      Batch batch;
      for (int parent = first; parent < std::min(first + block, end); ++parent) {
        const Box& box = tree_.box(parent);
        for (int child = box.first_child; child < box.first_child + box.children; ++child) {
          if (tree_.box(child).octant() != octant) continue;
          batch.add(from(parent, child), to(parent, child));
          if (batch.full()) translate(translation, batch, scratch.get());
        }
      }
      translate(translation, batch, scratch.get());
    }
  });
}

}  // namespace pithball::sim::fmm
