#pragma once
#include <cstddef>
#include <cstdint>

namespace pithball::sim {

/// The symmetric parts of the blocks of a `BlockMatrix`, as it stores them: xx, xy, yy, xz, yz, zz.
struct BlockRows {
  const double* diagonal;           ///< of each row
  const double* pairs;              ///< of each pair
  const std::ptrdiff_t* row_begin;  ///< first entry of each row beside the diagonal, and the number of entries
  const std::int32_t* column;       ///< of each entry
  const std::int32_t* pair;         ///< of each entry
  const char* held;                 ///< nonzero for rows and columns that are left out
};

/// out_i = Σ_j A_ij in_j for the rows begin <= i < end, with vectors of three numbers, in and out; held ones stay as
/// they are.
void multiply_rows(const BlockRows& A, const double* in, std::ptrdiff_t begin, std::ptrdiff_t end, double* out);

}  // namespace pithball::sim
