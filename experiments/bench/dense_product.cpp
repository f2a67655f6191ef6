#include "experiments/bench/dense_product.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/bench/dense_product.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::experiments::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int lanes = HWY_MIN(HWY_LANES(double), 8), width = 16, vectors = width / lanes;
// Rows of a tile that share the registers: 24 accumulators of 32, or 8 of 16.
constexpr int together = lanes == 8 ? PackedMatrix::tile : lanes == 4 ? 2 : 1;

/// out[r][·] += Σ_c matrix[r][c] in[c][·] for one tile of rows and a panel of `width` vectors.
HWY_ATTR void add_tile(const double* matrix, int columns, const double* in, double* out) {
  const D d;
  for (int first = 0; first < PackedMatrix::tile; first += together) {
    V sum[together][vectors];
    for (int r = 0; r < together; ++r)
      for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Load(d, out + (first + r) * width + v * lanes);
    for (int c = 0; c < columns; ++c) {
      V x[vectors];
      for (int v = 0; v < vectors; ++v) x[v] = hn::Load(d, in + c * width + v * lanes);
      for (int r = 0; r < together; ++r) {
        const V a = hn::Set(d, matrix[c * PackedMatrix::tile + first + r]);
        for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(a, x[v], sum[r][v]);
      }
    }
    for (int r = 0; r < together; ++r)
      for (int v = 0; v < vectors; ++v) hn::Store(sum[r][v], d, out + (first + r) * width + v * lanes);
  }
}

HWY_ATTR void add_panels(const PackedMatrix& matrix, int panels, const double* in, double* out) {
  // A tile of this many columns stays in the first cache while it meets all panels.
  constexpr int block = 256;
  const std::ptrdiff_t in_size = std::ptrdiff_t{matrix.columns()} * width,
                       out_size = std::ptrdiff_t{matrix.tiles()} * PackedMatrix::tile * width;
  for (int c = 0; c < matrix.columns(); c += block)
    for (int t = 0; t < matrix.tiles(); ++t)
      for (int p = 0; p < panels; ++p)
        add_tile(matrix.at(t, c), std::min(block, matrix.columns() - c), in + p * in_size + c * width,
                 out + p * out_size + t * PackedMatrix::tile * width);
}

}  // namespace pithball::experiments::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::experiments {

HWY_EXPORT(add_panels);

PackedMatrix::PackedMatrix(const Eigen::MatrixXd& matrix)
    : rows_(static_cast<int>(matrix.rows())), columns_(static_cast<int>(matrix.cols())) {
  data_.resize(static_cast<std::size_t>(tiles()) * tile * static_cast<std::size_t>(columns_));
  auto out = data_.begin();
  for (int t = 0; t < tiles(); ++t)
    for (int c = 0; c < columns_; ++c)
      for (int r = t * tile; r < (t + 1) * tile; ++r) *out++ = r < rows_ ? matrix(r, c) : 0;
}

void add_products(const PackedMatrix& matrix, int count, const double* const* from, double* const* to) {
  constexpr int width = 16;
  thread_local std::size_t capacity = 0;
  thread_local hwy::AlignedFreeUniquePtr<double[]> scratch;
  const int panels = (count + width - 1) / width, columns = matrix.columns();
  const std::size_t out_rows = static_cast<std::size_t>(matrix.tiles()) * PackedMatrix::tile,
                    in_size = static_cast<std::size_t>(panels * width) * static_cast<std::size_t>(columns),
                    size = in_size + static_cast<std::size_t>(panels * width) * out_rows;
  if (capacity < size) {
    scratch = hwy::AllocateAligned<double>(size);
    capacity = size;
  }
  double* const in = scratch.get();
  double* const out = in + in_size;
  std::fill(out, in + size, 0.0);
  for (int p = 0; p < panels; ++p)
    for (int c = 0; c < columns; ++c)
      for (int l = 0; l < width; ++l)
        in[(static_cast<std::size_t>(p) * columns + c) * width + l] = from[std::min(p * width + l, count - 1)][c];
  HWY_DYNAMIC_DISPATCH(add_panels)(matrix, panels, in, out);
  for (int l = 0; l < count; ++l)
    for (int r = 0; r < matrix.rows(); ++r)
      to[l][r] += out[(static_cast<std::size_t>(l / width) * out_rows + r) * width + l % width];
}

}  // namespace pithball::experiments
#endif
