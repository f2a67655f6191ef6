#pragma once
#include "sim/force/spring_loops.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

/// Adds the `AxialBlock` block(e, i, j) of every spring e between particles i and j to J, as `BlockMatrix::add_pair`
/// does.
template <class Block>
void add_spring_blocks(const Model& model, const Block& block, BlockMatrix& J) {
  constexpr Index least_shared = 2000;  // springs whose blocks are worth an array, to be shared among threads
  const auto& springs = model.springs();
  const Index n = static_cast<Index>(springs.size());
  if (n < least_shared) {
    for (Index e = 0; e < n; ++e) J.add_spring(e, block(e, springs[e].i, springs[e].j));
    return;
  }
  SymmetricBlocks blocks(6, n);
  SpringLoops::for_each(model, [&](Index e, Index i, Index j) { BlockPairs(block(e, i, j)).copy_to(&blocks(0, e)); });
  J.add_springs(blocks);
}

}  // namespace pithball::sim
