// What one source adds to one vector of targets: charges. Included once for each instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_CHARGE_PAIRS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_CHARGE_PAIRS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_CHARGE_PAIRS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_CHARGE_PAIRS_INL_
#endif

#include "sim/coulomb/direct/vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

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

/// Field and its gradient, a [1/ρ³ − 3 r rᵀ/ρ⁵].
struct ChargeGradientPair {
  static constexpr int record = 4, sums = 9;
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
    const V3 r = x.minus(s);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), self), inverse2 = hn::Mul(inverse, inverse);
    const V a3 = hn::Mul(hn::Mul(hn::Set(D(), s[3]), inverse), inverse2);
    const V3 v = r.times(hn::Mul(hn::Mul(hn::Set(D(), -3 * inverse_unit2), inverse2), a3));
    field.add(a3, r);
    trace = hn::Add(trace, a3);
    products.add_diagonal(v, r);
    products.add_above(v, r);
  }
  PITHBALL_KERNEL void store(const Job& job, std::int64_t i) const {
    store_sums(job, i, field, inverse_unit3);
    products.store(job, 3, i, trace, inverse_unit3);
  }
};

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
