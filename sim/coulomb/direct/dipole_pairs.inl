// What one source adds to one vector of targets: dipoles. Included once for each instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_DIPOLE_PAIRS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_DIPOLE_PAIRS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_DIPOLE_PAIRS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_DIPOLE_PAIRS_INL_
#endif

#include "sim/coulomb/direct/vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

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

/// Field and its gradient, 3 [p rᵀ + r pᵀ + (p·r)]/ρ⁵ − 15 (p·r) r rᵀ/ρ⁷ = v rᵀ + r vᵀ + 3 (p·r)/ρ⁵ with
/// v = 3 p/ρ⁵ − 15/2 (p·r) r/ρ⁷.
struct DipoleGradientPair {
  static constexpr int record = 6, sums = 9;
  V3 x, field;
  V trace;
  Products products;
  PITHBALL_KERNEL void load(const Job& job, std::int64_t i) {
    x = V3::load(job.target, i);
    field = V3::zero();
    trace = hn::Zero(D());
    products = Products::zero();
  }
  template <class SelfCheck>
  PITHBALL_KERNEL void add(const double* s, V softening2, SelfCheck self) {
    const V3 r = x.minus(s), p = V3::broadcast(s + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), self), inverse2 = hn::Mul(inverse, inverse);
    const V inverse3 = hn::Mul(inverse2, inverse);
    const V p5 = hn::Mul(hn::Mul(hn::Set(D(), 3 * inverse_unit2), inverse2), inverse3), along = hn::Mul(p5, p.dot(r));
    field.add(along, r);
    field.add(hn::Neg(inverse3), p);
    trace = hn::Add(trace, along);
    V3 v = p.times(p5);
    v.add(hn::Mul(hn::Mul(hn::Set(D(), -2.5 * inverse_unit2), inverse2), along), r);
    products.add_diagonal(v, r);
    products.add_above(v, r);
    products.add_above(r, v);
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const {
    store_sums(job, i, field, inverse_unit3);
    Products both = products;
    both.xx = hn::Add(both.xx, both.xx);
    both.yy = hn::Add(both.yy, both.yy);
    both.zz = hn::Add(both.zz, both.zz);
    both.store(job, 3, i, trace, inverse_unit3);
  }
};

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
