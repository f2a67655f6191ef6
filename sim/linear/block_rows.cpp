#include "sim/linear/block_rows.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/linear/block_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "sim/linear/place_vectors-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {

void multiply_rows_here(const BlockRows& A, const double* in, std::ptrdiff_t begin, std::ptrdiff_t end, double* out) {
  const double* pairs = A.pairs;
  const std::int32_t *column = A.column, *pair = A.pair;
  const char* held = A.held;
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    if (held[i]) continue;
    One::Sum sum;
    sum.add(A.diagonal + 6 * i, in + 3 * i);
    for (std::ptrdiff_t k = A.row_begin[i], last = A.row_begin[i + 1]; k < last; ++k)
      if (const std::ptrdiff_t j = column[k]; !held[j])
        sum.add(pairs + 6 * static_cast<std::ptrdiff_t>(pair[k]), in + 3 * j);
    One::store_packed(sum.result(), out + 3 * i);
  }
}

}  // namespace pithball::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim {

HWY_EXPORT(multiply_rows_here);

void multiply_rows(const BlockRows& A, const double* in, std::ptrdiff_t begin, std::ptrdiff_t end, double* out) {
  HWY_DYNAMIC_DISPATCH(multiply_rows_here)(A, in, begin, end, out);
}

}  // namespace pithball::sim
#endif
