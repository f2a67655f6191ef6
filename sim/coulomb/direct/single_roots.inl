// Inverse roots in float32. Included once for each instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_SINGLE_ROOTS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_SINGLE_ROOTS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_SINGLE_ROOTS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_SINGLE_ROOTS_INL_
#endif

#include "sim/coulomb/direct/vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

using F = hn::ScalableTag<float>;
using VF = hn::Vec<F>;
using V3F = V3Of<F>;

// As in double: with y the approximation of 1/ρ and e = 1 − ρ²y², ρ^−n = yⁿ (1 − e)^(−n/2) and u = shift − ρ²y²; the
// unit is multiplied in at the end. |e| < 2⁻¹³ asks for a linear polynomial, the 12 bits of older machines for a
// square.
#if PITHBALL_HAS_RSQRT14
constexpr double single_inverse_unit = 1.0 / 2, single_cube_unit = 3.0 / 2;
PITHBALL_KERNEL VF approximate_root(VF rho2) { return VF{_mm512_rsqrt14_ps(rho2.raw)}; }
/// 1 + e/2 + O(3/8 e² < 6e-9) = (e + 2)/2
PITHBALL_KERNEL VF inverse_correction(VF rho2, VF y2) { return hn::NegMulAdd(rho2, y2, hn::Set(F(), 3.0f)); }
/// 1 + 3/2 e + O(15/8 e² < 3e-8) = 3/2 (e + 2/3)
PITHBALL_KERNEL VF cube_correction(VF rho2, VF y2) { return hn::NegMulAdd(rho2, y2, hn::Set(F(), 5.0f / 3)); }
#else
constexpr double single_inverse_unit = 3.0 / 8, single_cube_unit = 15.0 / 8;
PITHBALL_KERNEL VF approximate_root(VF rho2) { return hn::ApproximateReciprocalSqrt(rho2); }
/// 1 + e/2 + 3/8 e² + O(5/16 e³ < 2e-10) = 3/8 [(e + 2/3)² + 20/9]
PITHBALL_KERNEL VF inverse_correction(VF rho2, VF y2) {
  const VF u = hn::NegMulAdd(rho2, y2, hn::Set(F(), 5.0f / 3));
  return hn::MulAdd(u, u, hn::Set(F(), 20.0f / 9));
}
/// 1 + 3/2 e + 15/8 e² + O(35/16 e³ < 1e-9) = 15/8 [(e + 2/5)² + 28/75]
PITHBALL_KERNEL VF cube_correction(VF rho2, VF y2) {
  const VF u = hn::NegMulAdd(rho2, y2, hn::Set(F(), 1.4f));
  return hn::MulAdd(u, u, hn::Set(F(), 28.0f / 75));
}
#endif

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
