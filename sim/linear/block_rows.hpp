#pragma once
#include <cstddef>

namespace pithball::sim {

/// The symmetric parts of the blocks of a `BlockMatrix`, as it stores them.
struct BlockRows {
  const double* entries;            ///< of each block: xx, xy, yy, xz, yz, zz
  const std::ptrdiff_t* row_begin;  ///< first block of each row, and the number of blocks
  const std::ptrdiff_t* column;     ///< of each block
  const char* held;                 ///< nonzero for rows and columns that are left out
};

/// out_i = Σ_j A_ij in_j for the rows begin <= i < end, with vectors of three numbers, in and out; held ones stay as
/// they are.
void multiply_rows(const BlockRows& A, const double* in, std::ptrdiff_t begin, std::ptrdiff_t end, double* out);

}  // namespace pithball::sim
