#include "sim/linear/block_rows.hpp"

#include <cstdint>

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/linear/block_rows.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_CAP_GE256

/// A sum of products of blocks with vectors: one lane for each component, the fourth is unused. The three columns have
/// sums of their own, which need not wait for each other.
class Sum {
  using D = hn::FixedTag<double, 4>;
  using V = hn::VFromD<D>;

 public:
  HWY_INLINE Sum() : head_(lanes(0, 1, 3)), tail_(lanes(1, 2, 3)), x_(hn::Zero(d_)), y_(x_), z_(x_) {}
  HWY_INLINE void add(const double* m, const double* v) {
    // (xx, xy, ·, xz) and (xy, yy, ·, yz) → the first and the second column; (·, xz, yz, zz) → the third.
    x_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(d_, m), head_), hn::Set(d_, v[0]), x_);
    y_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(d_, m + 1), head_), hn::Set(d_, v[1]), y_);
    z_ = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(d_, m + 2), tail_), hn::Set(d_, v[2]), z_);
  }
  HWY_INLINE void store(double* out) const {
    hn::BlendedStore(hn::Add(hn::Add(x_, y_), z_), hn::FirstN(d_, 3), d_, out);
  }

 private:
  using Lanes = decltype(hn::SetTableIndices(D(), static_cast<const std::int64_t*>(nullptr)));
  static HWY_INLINE Lanes lanes(std::int64_t a, std::int64_t b, std::int64_t c) {
    const std::int64_t from[4] = {a, b, c, c};
    return hn::SetTableIndices(D(), from);
  }

  D d_;
  Lanes head_, tail_;
  V x_, y_, z_;
};

#else

/// The same where vectors are too short for it.
class Sum {
 public:
  HWY_INLINE void add(const double* m, const double* v) {
    x_ += m[0] * v[0] + m[1] * v[1] + m[3] * v[2];
    y_ += m[1] * v[0] + m[2] * v[1] + m[4] * v[2];
    z_ += m[3] * v[0] + m[4] * v[1] + m[5] * v[2];
  }
  HWY_INLINE void store(double* out) const {
    out[0] = x_;
    out[1] = y_;
    out[2] = z_;
  }

 private:
  double x_ = 0, y_ = 0, z_ = 0;
};

#endif

void multiply_rows_here(const BlockRows& A, const double* in, std::ptrdiff_t begin, std::ptrdiff_t end, double* out) {
  const double* entries = A.entries;
  const std::ptrdiff_t* column = A.column;
  const char* held = A.held;
  for (std::ptrdiff_t i = begin; i < end; ++i) {
    if (held[i]) continue;
    Sum sum;
    for (std::ptrdiff_t k = A.row_begin[i], last = A.row_begin[i + 1]; k < last; ++k)
      if (const std::ptrdiff_t j = column[k]; !held[j]) sum.add(entries + 6 * k, in + 3 * j);
    sum.store(out + 3 * i);
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
