#include "sim/coulomb/fmm/translation_kernel.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/fmm/translation_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::fmm::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int lanes = HWY_MIN(HWY_LANES(double), 8), vectors = Batch::size / lanes;
// Accumulators of a tile: enough to hide the latency of two fused multiply-adds per cycle, few enough for the
// registers.
constexpr int tile = lanes == 8 ? 4 : 2;

/// A small matrix in memory: entry (r, c) at a[r·row + c·column].
struct Matrix {
  const double* a;
  int row, column;
};

/// Computes `rows` rows of out = matrix · in, where a row is a panel of Batch::size numbers. Row r of the result is
/// stored at place[r].
template <int rows>
HWY_INLINE HWY_ATTR void multiply_tile(Matrix matrix, int columns, const double* in, const int* place, double* out) {
  const D d;
  V sum[rows][vectors];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(d);
  for (int c = 0; c < columns; ++c) {
    V x[vectors];
    for (int v = 0; v < vectors; ++v) x[v] = hn::Load(d, in + c * Batch::size + v * lanes);
    for (int r = 0; r < rows; ++r) {
      const V a = hn::Set(d, matrix.a[r * matrix.row + c * matrix.column]);
      for (int v = 0; v < vectors; ++v) sum[r][v] = hn::MulAdd(a, x[v], sum[r][v]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) hn::Store(sum[r][v], d, out + place[r] * Batch::size + v * lanes);
}

HWY_INLINE HWY_ATTR void multiply(Matrix matrix, int rows, int columns, const double* in, const int* place,
                                  double* out) {
  int r = 0;
  const auto rest = [&] { return Matrix{matrix.a + r * matrix.row, matrix.row, matrix.column}; };
  for (; r + tile <= rows; r += tile) multiply_tile<tile>(rest(), columns, in, place + r, out);
  if constexpr (tile == 4) {
    if (rows - r == 3) return multiply_tile<3>(rest(), columns, in, place + r, out);
    if (rows - r == 2) return multiply_tile<2>(rest(), columns, in, place + r, out);
  }
  if (rows - r == 1) multiply_tile<1>(rest(), columns, in, place + r, out);
}

/// Rotates all coefficients by the azimuth φ: C ← C cos mφ ± S sin mφ, S ← S cos mφ ∓ C sin mφ.
template <bool back>
HWY_INLINE HWY_ATTR void turn_azimuth(const Translation& t, double* panel) {
  const D d;
  for (int n = 1; n <= t.order; ++n)
    for (int m = 1; m <= n; ++m) {
      const std::size_t k = m;
      const V c = hn::Set(d, t.cos_m[k]), s = hn::Set(d, back ? -t.sin_m[k] : t.sin_m[k]);
      double* const cosines = panel + cosine(n, m) * Batch::size;
      double* const sines = panel + sine(n, m) * Batch::size;
      for (int v = 0; v < Batch::size; v += lanes) {
        const V a = hn::Load(d, cosines + v), b = hn::Load(d, sines + v);
        hn::Store(hn::MulAdd(a, c, hn::Mul(b, s)), d, cosines + v);
        hn::Store(hn::MulSub(b, c, hn::Mul(a, s)), d, sines + v);
      }
    }
}

template <bool back>
HWY_INLINE HWY_ATTR void turn_polar(const Translation& t, const double* in, const int* place, double* out) {
  for (int n = 0; n <= t.order; ++n) {
    const auto matrix = [&](const double* a, int size) { return back ? Matrix{a, 1, size} : Matrix{a, size, 1}; };
    const int c = cosine(n, 0), s = sine(n, 1);
    multiply(matrix(t.rotation->cosines(n), n + 1), n + 1, n + 1, in + c * Batch::size, place + c, out);
    if (n > 0) multiply(matrix(t.rotation->sines(n), n), n, n, in + s * Batch::size, place + s, out);
  }
}

HWY_ATTR void translate_here(const Translation& t, Batch& batch, double* scratch) {
  const int count = coefficients(t.order);
  double* const a = scratch;
  double* const b = scratch + count * Batch::size;
  for (int l = batch.count; l < Batch::size; ++l) batch.from[l] = batch.from[0];
  for (int k = 0; k < count; ++k)
    for (int l = 0; l < Batch::size; ++l) a[k * Batch::size + l] = batch.from[l][k];

  turn_azimuth<false>(t, a);
  turn_polar<false>(t, a, t.layout->by_m.data(), b);
  for (int m = 0, first = 0; m <= t.order; ++m) {
    const int size = t.order - m + 1;
    for (int part = 0; part < (m > 0 ? 2 : 1); ++part, first += size)
      multiply({t.shift->of(m), size, 1}, size, size, b + first * Batch::size, t.layout->by_degree.data() + first, a);
  }
  turn_polar<true>(t, a, t.layout->same.data(), b);
  turn_azimuth<true>(t, b);

  for (int l = 0; l < batch.count; ++l)
    for (int k = 0; k < count; ++k) batch.to[l][k] += b[k * Batch::size + l];
  batch.count = 0;
}

}  // namespace pithball::sim::fmm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim::fmm {

HWY_EXPORT(translate_here);

void translate(const Translation& t, Batch& batch, double* scratch) {
  if (batch.count > 0) HWY_DYNAMIC_DISPATCH(translate_here)(t, batch, scratch);
}

}  // namespace pithball::sim::fmm
#endif
