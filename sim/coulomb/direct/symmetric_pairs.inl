// What points i and j add to each other: a pair is evaluated once. Points and sums are arrays of channels, in the order
// of `Kernel`. Included once for each instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_SYMMETRIC_PAIRS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_SYMMETRIC_PAIRS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_SYMMETRIC_PAIRS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_SYMMETRIC_PAIRS_INL_
#endif

#include "sim/coulomb/direct/single_roots.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

template <class Vector>
PITHBALL_KERNEL auto difference(const Vector* i, const Vector* j) {
  return V3Of<hn::DFromV<Vector>>{hn::Sub(i[0], j[0]), hn::Sub(i[1], j[1]), hn::Sub(i[2], j[2])};
}

/// sum_i += a r, and sum_j −= b r.
template <class Vector>
PITHBALL_KERNEL void add_opposite(Vector* sum_i, Vector* sum_j, Vector a, Vector b, const V3Of<hn::DFromV<Vector>>& r) {
  sum_i[0] = hn::MulAdd(a, r.x, sum_i[0]);
  sum_i[1] = hn::MulAdd(a, r.y, sum_i[1]);
  sum_i[2] = hn::MulAdd(a, r.z, sum_i[2]);
  sum_j[0] = hn::NegMulAdd(b, r.x, sum_j[0]);
  sum_j[1] = hn::NegMulAdd(b, r.y, sum_j[1]);
  sum_j[2] = hn::NegMulAdd(b, r.z, sum_j[2]);
}

/// Points x, a; sums: field, and potential.
template <bool with_field, bool with_potential>
struct SymmetricCharge {
  using Tag = D;
  static constexpr int channels = 4, sums = 3 * with_field + with_potential, phi = sums - 1;
  static constexpr double unit(int k) {
    return !with_potential ? inverse_cube_unit : k == phi ? inverse_unit : inverse_unit3;
  }
  template <class Check>
  PITHBALL_KERNEL static void add(const V* i, const V* j, V softening2, Check check, V* sum_i, V* sum_j) {
    const V3 r = difference(i, j);
    const V rho2 = r.dot_plus(r, softening2);
    V cube;
    if constexpr (with_potential) {
      const V inverse = inverse_distance(rho2, check);
      sum_i[phi] = hn::MulAdd(j[3], inverse, sum_i[phi]);
      sum_j[phi] = hn::MulAdd(i[3], inverse, sum_j[phi]);
      cube = hn::Mul(hn::Mul(inverse, inverse), inverse);
    } else {
      cube = inverse_cube(rho2, check);
    }
    if constexpr (with_field) add_opposite(sum_i, sum_j, hn::Mul(j[3], cube), hn::Mul(i[3], cube), r);
  }
};

/// The same in float32. A position is the sum of two floats: points x, rest of x, a. So differences of positions are
/// good to a rounding of themselves.
template <bool with_field, bool with_potential>
struct SymmetricSingle {
  using Tag = F;
  static constexpr int channels = 7, sums = 3 * with_field + with_potential, phi = sums - 1;
  static constexpr double unit(int k) { return with_potential && k == phi ? single_inverse_unit : single_cube_unit; }
  template <class Check>
  PITHBALL_KERNEL static void add(const VF* i, const VF* j, VF softening2, Check check, VF* sum_i, VF* sum_j) {
    const V3F whole = difference(i, j), rest = difference(i + 3, j + 3);
    const V3F r{hn::Add(whole.x, rest.x), hn::Add(whole.y, rest.y), hn::Add(whole.z, rest.z)};
    const VF rho2 = r.dot_plus(r, softening2), y = check.clear(approximate_root(rho2)), y2 = hn::Mul(y, y);
    if constexpr (with_potential) {
      const VF inverse = hn::Mul(y, inverse_correction(rho2, y2));
      sum_i[phi] = hn::MulAdd(j[6], inverse, sum_i[phi]);
      sum_j[phi] = hn::MulAdd(i[6], inverse, sum_j[phi]);
    }
    if constexpr (with_field) {
      const VF cube = hn::Mul(hn::Mul(y, y2), cube_correction(rho2, y2));
      add_opposite(sum_i, sum_j, hn::Mul(j[6], cube), hn::Mul(i[6], cube), r);
    }
  }
};

/// Points x, u, a, b; sums: change of the force.
struct SymmetricJvp {
  using Tag = D;
  static constexpr int channels = 8, sums = 3;
  static constexpr double unit(int) { return inverse_unit3; }
  template <class Check>
  PITHBALL_KERNEL static void add(const V* i, const V* j, V softening2, Check check, V* sum_i, V* sum_j) {
    const V3 r = difference(i, j), d = difference(i + 3, j + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), check);
    const V inverse2 = hn::Mul(inverse, inverse), inverse3 = hn::Mul(inverse2, inverse);
    const V aa = hn::Mul(hn::Mul(i[6], j[6]), inverse3);
    const V ab = hn::Mul(hn::MulAdd(i[6], j[7], hn::Mul(i[7], j[6])), inverse3);
    V3 change = d.times(aa);
    change.add(hn::MulAdd(hn::Mul(aa, r.dot(d)), hn::Mul(hn::Set(D(), -3 * inverse_unit2), inverse2), ab), r);
    sum_i[0] = hn::Add(sum_i[0], change.x);
    sum_i[1] = hn::Add(sum_i[1], change.y);
    sum_i[2] = hn::Add(sum_i[2], change.z);
    sum_j[0] = hn::Sub(sum_j[0], change.x);
    sum_j[1] = hn::Sub(sum_j[1], change.y);
    sum_j[2] = hn::Sub(sum_j[2], change.z);
  }
};

/// Points x, u, a; sums: a_j [d/ρ³ − 3 (r·d) r/ρ⁵], a_j (r·d)/ρ³.
struct SymmetricVjp {
  using Tag = D;
  static constexpr int channels = 7, sums = 4;
  static constexpr double unit(int) { return inverse_unit3; }
  template <class Check>
  PITHBALL_KERNEL static void add(const V* i, const V* j, V softening2, Check check, V* sum_i, V* sum_j) {
    const V3 r = difference(i, j), d = difference(i + 3, j + 3);
    const V inverse = inverse_distance(r.dot_plus(r, softening2), check);
    const V inverse2 = hn::Mul(inverse, inverse), inverse3 = hn::Mul(inverse2, inverse);
    const V along = hn::Mul(r.dot(d), inverse3);
    sum_i[3] = hn::MulAdd(j[6], along, sum_i[3]);
    sum_j[3] = hn::MulAdd(i[6], along, sum_j[3]);
    V3 change = d.times(inverse3);
    change.add(hn::Mul(along, hn::Mul(hn::Set(D(), -3 * inverse_unit2), inverse2)), r);
    add_opposite(sum_i, sum_j, j[6], i[6], change);
  }
};

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
