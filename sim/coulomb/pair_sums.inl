// What one source adds to one vector of targets. Part of direct_kernel.cpp, included once for each instruction set:
// hence the guard of Highway's per-target headers, which toggles, instead of #pragma once.
#if defined(PITHBALL_SIM_COULOMB_PAIR_SUMS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_PAIR_SUMS_INL_
#undef PITHBALL_SIM_COULOMB_PAIR_SUMS_INL_
#else
#define PITHBALL_SIM_COULOMB_PAIR_SUMS_INL_
#endif

#include <hwy/highway.h>

#include "sim/coulomb/direct_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using V = hn::Vec<D>;
#define PITHBALL_KERNEL HWY_INLINE HWY_ATTR

/// The source is none of the targets.
struct NoSelf {
  PITHBALL_KERNEL V clear(V inverse) const { return inverse; }
};

/// The source may be one of the targets from `first` on: that lane's inverse distance becomes 0, so that every sum
/// gets exactly 0 there. Decided by index and not by distance: two *different* points at one place must show as
/// infinity or NaN and not as silence.
struct Self {
  PITHBALL_KERNEL Self(std::int64_t first, double source)
      : self(hn::Eq(hn::Iota(D(), static_cast<double>(first)), hn::Set(D(), source))) {}
  PITHBALL_KERNEL V clear(V inverse) const { return hn::IfThenZeroElse(self, inverse); }
  hn::Mask<D> self;
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define PITHBALL_HAS_RSQRT14 1
/// An approximation y of 1/ρ with |ρy − 1| < 2⁻¹⁴.
PITHBALL_KERNEL V approximate_inverse_root(V rho2) { return V{_mm512_rsqrt14_pd(rho2.raw)}; }
#else
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

/// a/(ρ³ inverse_cube_unit): (1 − e)^(−3/2) = 1 + 3/2 e + 15/8 e² + 35/16 e³ + O(315/128 e⁴ < 6e-16), u = e + 2/7.
template <class SelfCheck>
PITHBALL_KERNEL V times_inverse_cube(V a, V rho2, SelfCheck self) {
  const V y = self.clear(approximate_inverse_root(rho2)), y2 = hn::Mul(y, y);
  const V cubic = depressed_cubic(rho2, y2, 9.0 / 7, 108.0 / 245, 16.0 / 35 - 8.0 / 343 - 216.0 / 1715);
  return hn::Mul(hn::Mul(hn::Mul(a, y), y2), cubic);
}
#else
constexpr double inverse_unit = 1, inverse_cube_unit = 1;
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

/// Three channels from `first` on, of a vector of targets.
struct V3 {
  V x, y, z;
  PITHBALL_KERNEL static V3 load(const double* const* channel, std::int64_t i) {
    const D d;
    return {hn::Load(d, channel[0] + i), hn::Load(d, channel[1] + i), hn::Load(d, channel[2] + i)};
  }
  PITHBALL_KERNEL static V3 zero() { return {hn::Zero(D()), hn::Zero(D()), hn::Zero(D())}; }
  PITHBALL_KERNEL static V3 broadcast(const double* s) {
    const D d;
    return {hn::Set(d, s[0]), hn::Set(d, s[1]), hn::Set(d, s[2])};
  }
  /// this − the source's three values
  PITHBALL_KERNEL V3 minus(const double* s) const {
    const D d;
    return {hn::Sub(x, hn::Set(d, s[0])), hn::Sub(y, hn::Set(d, s[1])), hn::Sub(z, hn::Set(d, s[2]))};
  }
  PITHBALL_KERNEL V dot_plus(const V3& o, V c) const {
    return hn::MulAdd(z, o.z, hn::MulAdd(y, o.y, hn::MulAdd(x, o.x, c)));
  }
  PITHBALL_KERNEL V dot(const V3& o) const { return hn::MulAdd(z, o.z, hn::MulAdd(y, o.y, hn::Mul(x, o.x))); }
  /// this += a r
  PITHBALL_KERNEL void add(V a, const V3& r) {
    x = hn::MulAdd(a, r.x, x);
    y = hn::MulAdd(a, r.y, y);
    z = hn::MulAdd(a, r.z, z);
  }
};

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

template <bool with_field, bool with_potential>
struct ChargePair {
  static constexpr int record = 4, sums = 3 * with_field + with_potential;
  V3 x, field;
  V potential;
  PITHBALL_KERNEL void load(const Job& job, std::int64_t i) {
    x = V3::load(job.target, i);
    field = V3::zero();
    potential = hn::Zero(D());
  }
  template <class SelfCheck>
  PITHBALL_KERNEL void add(const double* s, V softening2, SelfCheck self) {
    const V3 r = x.minus(s);
    const V rho2 = r.dot_plus(r, softening2), a = hn::Set(D(), s[3]);
    if constexpr (with_potential) {
      const V inverse = inverse_distance(rho2, self), phi = hn::Mul(a, inverse);
      potential = hn::Add(potential, phi);
      if constexpr (with_field) field.add(hn::Mul(phi, hn::Mul(inverse, inverse)), r);
    } else {
      field.add(times_inverse_cube(a, rho2, self), r);
    }
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const {
    if constexpr (with_field) store_sums(job, i, field, with_potential ? inverse_unit3 : inverse_cube_unit);
    if constexpr (with_potential) store_sum(job, with_field ? 3 : 0, i, potential, inverse_unit);
  }
};

template <bool with_field, bool with_potential>
struct DipolePair {
  static constexpr int record = 6, sums = 3 * with_field + with_potential;
  V3 x, field;
  V potential;
  PITHBALL_KERNEL void load(const Job& job, std::int64_t i) {
    x = V3::load(job.target, i);
    field = V3::zero();
    potential = hn::Zero(D());
  }
  template <class SelfCheck>
  PITHBALL_KERNEL void add(const double* s, V softening2, SelfCheck self) {
    const V3 r = x.minus(s), p = V3::broadcast(s + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), self);
    const V inverse2 = hn::Mul(inverse, inverse), inverse3 = hn::Mul(inverse2, inverse);
    const V phi = hn::Mul(p.dot(r), inverse3);
    if constexpr (with_potential) potential = hn::Add(potential, phi);
    if constexpr (with_field) {
      field.add(hn::Mul(hn::Mul(hn::Set(D(), 3 * inverse_unit2), inverse2), phi), r);
      field.add(hn::Neg(inverse3), p);
    }
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const {
    if constexpr (with_field) store_sums(job, i, field, inverse_unit3);
    if constexpr (with_potential) store_sum(job, with_field ? 3 : 0, i, potential, inverse_unit3);
  }
};

struct JvpPair {
  static constexpr int record = 8, sums = 3;
  V3 x, u, force;
  V a, b;
  PITHBALL_KERNEL void load(const Job& job, std::int64_t i) {
    x = V3::load(job.target, i);
    u = V3::load(job.target + 3, i);
    a = hn::Load(D(), job.target[6] + i);
    b = hn::Load(D(), job.target[7] + i);
    force = V3::zero();
  }
  template <class SelfCheck>
  PITHBALL_KERNEL void add(const double* s, V softening2, SelfCheck self) {
    const V3 r = x.minus(s), d = u.minus(s + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), self);
    const V inverse2 = hn::Mul(inverse, inverse), inverse3 = hn::Mul(inverse2, inverse);
    const V source_a = hn::Set(D(), s[6]), source_b = hn::Set(D(), s[7]);
    const V aa = hn::Mul(hn::Mul(a, source_a), inverse3);
    const V ab = hn::Mul(hn::MulAdd(a, source_b, hn::Mul(b, source_a)), inverse3);
    force.add(aa, d);
    force.add(hn::MulAdd(hn::Mul(aa, r.dot(d)), hn::Mul(hn::Set(D(), -3 * inverse_unit2), inverse2), ab), r);
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const { store_sums(job, i, force, inverse_unit3); }
};

struct VjpPair {
  static constexpr int record = 7, sums = 4;
  V3 x, u, gradient;
  V charge;
  PITHBALL_KERNEL void load(const Job& job, std::int64_t i) {
    x = V3::load(job.target, i);
    u = V3::load(job.target + 3, i);
    gradient = V3::zero();
    charge = hn::Zero(D());
  }
  template <class SelfCheck>
  PITHBALL_KERNEL void add(const double* s, V softening2, SelfCheck self) {
    const V3 r = x.minus(s), d = u.minus(s + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), self);
    const V inverse2 = hn::Mul(inverse, inverse);
    const V a3 = hn::Mul(hn::Mul(hn::Set(D(), s[6]), inverse2), inverse), along = hn::Mul(a3, r.dot(d));
    charge = hn::Add(charge, along);
    gradient.add(a3, d);
    gradient.add(hn::Mul(along, hn::Mul(hn::Set(D(), -3 * inverse_unit2), inverse2)), r);
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const {
    store_sums(job, i, gradient, inverse_unit3);
    store_sum(job, 3, i, charge, inverse_unit3);
  }
};

#undef PITHBALL_KERNEL
#undef PITHBALL_HAS_RSQRT14

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
