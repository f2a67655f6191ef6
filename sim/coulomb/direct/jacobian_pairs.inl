// What one source adds to one vector of targets: the Jacobian products of the forces. Included once for each
// instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_JACOBIAN_PAIRS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_JACOBIAN_PAIRS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_JACOBIAN_PAIRS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_JACOBIAN_PAIRS_INL_
#endif

#include "sim/coulomb/direct/vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

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

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
