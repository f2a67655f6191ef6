#pragma once
#include "sim/force/spring_loops.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

/// Adds the `AxialBlock` block(e, i, j) of every spring e between particles i and j to J, as `BlockMatrix::add_pair`
/// does.
template <class Block>
void add_spring_blocks(const SpringLoops& loops, const Model& model, const Block& block, BlockMatrix& J) {
  loops.for_each(model, [&](Index e, Index i, Index j) { J.add_spring(e, i, j, block(e, i, j)); });
}

}  // namespace pithball::sim
