#include "sim/coulomb/fmm/far_field.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>

#include "sim/coulomb/fmm/translation_kernel.hpp"

namespace pithball::sim::fmm {
namespace {

// Loops shorter than this stay on one thread: a parallel region costs microseconds, more while other programs run.
constexpr std::size_t few = 32;

hwy::AlignedFreeUniquePtr<double[]> zeros(Index count) {
  auto memory = hwy::AllocateAligned<double>(static_cast<std::size_t>(count));
  std::fill(memory.get(), memory.get() + count, 0.0);
  return memory;
}

}  // namespace

void FarField::add(const Weights& weights, const Wanted& wanted, const Values& values) const {
  if (!exists() || !wanted.any()) return;
  const auto numbers = operators_.stride() * static_cast<Index>(tree_.boxes().size());
  const auto multipoles = zeros(numbers), locals = zeros(numbers);
  make_multipoles(weights, multipoles.get());
  make_locals(weights, multipoles.get(), locals.get());

  const std::vector<int>& leaves = tree_.leaves();
#pragma omp parallel for schedule(dynamic, 4) if (leaves.size() > few)
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const Box& leaf = tree_.box(leaves[k]);
    operators_.points.add_values(Harmonics::Regular, frame(leaf), of(locals.get(), leaves[k]), wanted, points(leaf),
                                 values);
  }
  const FmmStructure::Runs& runs = structure_.uneven_by_leaf();
#pragma omp parallel for schedule(dynamic, 4) if (runs.size() > few)
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t k = runs.start[r]; k < runs.start[r + 1]; ++k) {
      const int box = runs.pairs[k].target, leaf = runs.pairs[k].source;
      operators_.points.add_values(Harmonics::Irregular, frame(tree_.box(box)), of(multipoles.get(), box), wanted,
                                   points(tree_.box(leaf)), values);
    }
}

void FarField::make_multipoles(const Weights& weights, double* multipoles) const {
  const std::vector<int>& leaves = tree_.leaves();
#pragma omp parallel for schedule(dynamic, 4) if (leaves.size() > few)
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const Box& leaf = tree_.box(leaves[k]);
    operators_.points.add_moments(Harmonics::Regular, frame(leaf), points(leaf), weights, of(multipoles, leaves[k]));
  }
  for (int level = tree_.deepest() - 1; level >= Octree::first_far_level; --level)
    move_octants(
        level, true, [&](int, int child) { return of(multipoles, child); },
        [&](int parent, int) { return of(multipoles, parent); });
}

void FarField::make_locals(const Weights& weights, double* multipoles, double* locals) const {
  const auto& chunks = structure_.far();
#pragma omp parallel if (tree_.far().size() > few)
  {
    const auto scratch = hwy::AllocateAligned<double>(translation_scratch(operators_.order()));
#pragma omp for schedule(dynamic, 1)
    for (std::size_t c = 0; c < chunks.size(); ++c)
      for (const FmmStructure::Group& group : chunks[c]) {
        const Translation& translation = operators_.translations.multipole_to_local(group.offset);
        Batch batch;
        for (const Octree::Pair& pair : group) {
          batch.add(of(multipoles, pair.source), of(locals, pair.target));
          if (batch.full()) translate(translation, batch, scratch.get());
        }
        translate(translation, batch, scratch.get());
      }
  }
  const FmmStructure::Runs& runs = structure_.uneven_by_box();
#pragma omp parallel for schedule(dynamic, 4) if (runs.size() > few)
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t k = runs.start[r]; k < runs.start[r + 1]; ++k) {
      const int box = runs.pairs[k].target, leaf = runs.pairs[k].source;
      operators_.points.add_moments(Harmonics::Irregular, frame(tree_.box(box)), points(tree_.box(leaf)), weights,
                                    of(locals, box));
    }
  for (int level = Octree::first_far_level; level < tree_.deepest(); ++level)
    move_octants(
        level, false, [&](int parent, int) { return of(locals, parent); },
        [&](int, int child) { return of(locals, child); });
}

template <class From, class To>
void FarField::move_octants(int level, bool up, From from, To to) const {
  constexpr int block = 64;  // parents whose children move together
  const int begin = tree_.level_begin(level), end = tree_.level_begin(level + 1);
#pragma omp parallel if (end - begin > 4 * block)
  {
    const auto scratch = hwy::AllocateAligned<double>(translation_scratch(operators_.order()));
#pragma omp for schedule(dynamic, 1)
    for (int first = begin; first < end; first += block)
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
  }
}

}  // namespace pithball::sim::fmm
