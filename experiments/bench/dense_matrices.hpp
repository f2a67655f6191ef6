#pragma once
#include <map>

#include "experiments/bench/dense_product.hpp"
#include "experiments/bench/expansion_candidate.hpp"

namespace pithball::experiments {

/// One matrix for each representative offset.
using DenseMatrices = std::map<sim::fmm::Offset, PackedMatrix>;

/// What a tree would hold: a matrix for each of the 316 offsets [bytes].
inline double bytes_for_all_offsets(const DenseMatrices& matrices) {
  double numbers = 0;
  for (const sim::fmm::Offset& offset : far_offsets()) {
    const PackedMatrix& matrix = matrices.at(representative(offset));
    numbers += double(matrix.rows()) * matrix.columns();
  }
  return sizeof(double) * numbers;
}

}  // namespace pithball::experiments
