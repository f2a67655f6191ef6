// Vectors, roots and sums of the kernels. Included once for each instruction set: hence the guard of Highway's
// per-target headers, which toggles, instead of #pragma once.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_VECTORS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_VECTORS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_VECTORS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_VECTORS_INL_
#endif

#include <hwy/highway.h>

#include "sim/coulomb/direct/direct_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
#undef PITHBALL_KERNEL
#define PITHBALL_KERNEL HWY_INLINE HWY_ATTR

/// The source is none of the targets.
struct NoSelf {
  template <class Vector>
  PITHBALL_KERNEL Vector clear(Vector inverse) const {
    return inverse;
  }
};

/// The source may be one of the targets from `first` on: that lane's inverse distance becomes 0, so that every sum
/// gets exactly 0 there. Decided by index and not by distance: two *different* points at one place must show as
/// infinity or NaN and not as silence.
template <class Tag>
struct SelfOf {
  using Real = hn::TFromD<Tag>;
  PITHBALL_KERNEL SelfOf(std::int64_t first, double source)
      : self(hn::Eq(hn::Iota(Tag(), Real(0)), hn::Set(Tag(), static_cast<Real>(source - static_cast<double>(first))))) {
  }
  PITHBALL_KERNEL hn::Vec<Tag> clear(hn::Vec<Tag> inverse) const { return hn::IfThenZeroElse(self, inverse); }
  hn::Mask<Tag> self;
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#undef PITHBALL_HAS_RSQRT14
#define PITHBALL_HAS_RSQRT14 1
/// An approximation y of 1/ρ with |ρy − 1| < 2⁻¹⁴.
PITHBALL_KERNEL V approximate_inverse_root(V rho2) { return V{_mm512_rsqrt14_pd(rho2.raw)}; }
#else
#undef PITHBALL_HAS_RSQRT14
#define PITHBALL_HAS_RSQRT14 0
#endif

// With y the approximation and e = 1 − ρ²y², |e| < 2⁻¹³, ρ^−n is yⁿ (1 − e)^(−n/2), whose cubic Taylor polynomial is
// good to rounding. Written in a shifted variable u it has no quadratic term: c [u (u² + p) + q], one operation less;
// the constant c ("unit") is multiplied in once for each target instead of once for each pair.
#if PITHBALL_HAS_RSQRT14
constexpr double inverse_unit = 5.0 / 16, inverse_cube_unit = 35.0 / 16;

/// u (u² + p) + q for u = shift − ρ²y².
PITHBALL_KERNEL V depressed_cubic(V rho2, V y2, double shift, double p, double q) {
  const V u = hn::NegMulAdd(rho2, y2, hn::Set(D(), shift));
  return hn::MulAdd(hn::MulAdd(u, u, hn::Set(D(), p)), u, hn::Set(D(), q));
}

/// 1/(ρ inverse_unit): (1 − e)^(−1/2) = 1 + e/2 + 3/8 e² + 5/16 e³ + O(35/128 e⁴ < 7e-17), u = e + 2/5.
template <class SelfCheck>
PITHBALL_KERNEL V inverse_distance(V rho2, SelfCheck self) {
  const V y = self.clear(approximate_inverse_root(rho2));
  return hn::Mul(y, depressed_cubic(rho2, hn::Mul(y, y), 1.4, 1.12, 2.688));
}

/// (1 − e)^(−3/2)/inverse_cube_unit = 1 + 3/2 e + 15/8 e² + 35/16 e³ + O(315/128 e⁴ < 6e-16), u = e + 2/7.
PITHBALL_KERNEL V cube_correction(V rho2, V y2) {
  return depressed_cubic(rho2, y2, 9.0 / 7, 108.0 / 245, 16.0 / 35 - 8.0 / 343 - 216.0 / 1715);
}

/// 1/(ρ³ inverse_cube_unit)
template <class SelfCheck>
PITHBALL_KERNEL V inverse_cube(V rho2, SelfCheck self) {
  const V y = self.clear(approximate_inverse_root(rho2)), y2 = hn::Mul(y, y);
  return hn::Mul(hn::Mul(y, y2), cube_correction(rho2, y2));
}

/// a/(ρ³ inverse_cube_unit)
template <class SelfCheck>
PITHBALL_KERNEL V times_inverse_cube(V a, V rho2, SelfCheck self) {
  const V y = self.clear(approximate_inverse_root(rho2)), y2 = hn::Mul(y, y);
  return hn::Mul(hn::Mul(hn::Mul(a, y), y2), cube_correction(rho2, y2));
}
#else
constexpr double inverse_unit = 1, inverse_cube_unit = 1;
template <class SelfCheck>
PITHBALL_KERNEL V inverse_cube(V rho2, SelfCheck self) {
  return self.clear(hn::Div(hn::Set(D(), 1.0), hn::Mul(rho2, hn::Sqrt(rho2))));
}
template <class SelfCheck>
PITHBALL_KERNEL V inverse_distance(V rho2, SelfCheck self) {
  return self.clear(hn::Div(hn::Set(D(), 1.0), hn::Sqrt(rho2)));
}
template <class SelfCheck>
PITHBALL_KERNEL V times_inverse_cube(V a, V rho2, SelfCheck self) {
  return self.clear(hn::Div(a, hn::Mul(rho2, hn::Sqrt(rho2))));
}
#endif
constexpr double inverse_unit2 = inverse_unit * inverse_unit, inverse_unit3 = inverse_unit2 * inverse_unit;

/// Three vectors of numbers: a vector of points, or one point in all lanes.
template <class Tag>
struct V3Of {
  using Vector = hn::Vec<Tag>;
  using Real = hn::TFromD<Tag>;
  Vector x, y, z;
  PITHBALL_KERNEL static V3Of load(const double* const* channel, std::int64_t i) {
    const Tag d;
    return {hn::Load(d, channel[0] + i), hn::Load(d, channel[1] + i), hn::Load(d, channel[2] + i)};
  }
  PITHBALL_KERNEL static V3Of zero() { return {hn::Zero(Tag()), hn::Zero(Tag()), hn::Zero(Tag())}; }
  PITHBALL_KERNEL static V3Of broadcast(const Real* s) {
    const Tag d;
    return {hn::Set(d, s[0]), hn::Set(d, s[1]), hn::Set(d, s[2])};
  }
  /// this − the source's three values
  PITHBALL_KERNEL V3Of minus(const Real* s) const {
    const Tag d;
    return {hn::Sub(x, hn::Set(d, s[0])), hn::Sub(y, hn::Set(d, s[1])), hn::Sub(z, hn::Set(d, s[2]))};
  }
  PITHBALL_KERNEL Vector dot_plus(const V3Of& o, Vector c) const {
    return hn::MulAdd(z, o.z, hn::MulAdd(y, o.y, hn::MulAdd(x, o.x, c)));
  }
  PITHBALL_KERNEL Vector dot(const V3Of& o) const { return hn::MulAdd(z, o.z, hn::MulAdd(y, o.y, hn::Mul(x, o.x))); }
  PITHBALL_KERNEL V3Of times(Vector a) const { return {hn::Mul(a, x), hn::Mul(a, y), hn::Mul(a, z)}; }
  /// this += a r
  PITHBALL_KERNEL void add(Vector a, const V3Of& r) {
    x = hn::MulAdd(a, r.x, x);
    y = hn::MulAdd(a, r.y, y);
    z = hn::MulAdd(a, r.z, z);
  }
};
using V3 = V3Of<D>;

/// sum[k] += unit · value
PITHBALL_KERNEL void store_sum(const Job& job, int k, std::int64_t i, V value, double unit) {
  const D d;
  double* out = job.sum[k] + i;
  hn::Store(hn::MulAdd(hn::Set(d, unit), value, hn::Load(d, out)), d, out);
}
PITHBALL_KERNEL void store_sums(const Job& job, std::int64_t i, const V3& value, double unit) {
  store_sum(job, 0, i, value.x, unit);
  store_sum(job, 1, i, value.y, unit);
  store_sum(job, 2, i, value.z, unit);
}

/// Σ of products v_a r_b, a ≤ b, in the order xx, xy, xz, yy, yz, zz.
struct Products {
  V xx, xy, xz, yy, yz, zz;
  PITHBALL_KERNEL static Products zero() {
    const V o = hn::Zero(D());
    return {o, o, o, o, o, o};
  }
  PITHBALL_KERNEL void add_diagonal(const V3& v, const V3& r) {
    xx = hn::MulAdd(v.x, r.x, xx);
    yy = hn::MulAdd(v.y, r.y, yy);
    zz = hn::MulAdd(v.z, r.z, zz);
  }
  PITHBALL_KERNEL void add_above(const V3& v, const V3& r) {
    xy = hn::MulAdd(v.x, r.y, xy);
    xz = hn::MulAdd(v.x, r.z, xz);
    yz = hn::MulAdd(v.y, r.z, yz);
  }
  /// sum[first…first + 5] += unit · (products, and `trace` on the diagonal)
  PITHBALL_KERNEL void store(const Job& job, int first, std::int64_t i, V trace, double unit) const {
    store_sum(job, first, i, hn::Add(xx, trace), unit);
    store_sum(job, first + 1, i, xy, unit);
    store_sum(job, first + 2, i, xz, unit);
    store_sum(job, first + 3, i, hn::Add(yy, trace), unit);
    store_sum(job, first + 4, i, yz, unit);
    store_sum(job, first + 5, i, hn::Add(zz, trace), unit);
  }
};

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
