#include "sim/coulomb/direct/direct_kernel.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/direct/direct_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "sim/coulomb/direct/charge_pairs.inl"
#include "sim/coulomb/direct/dipole_pairs.inl"
#include "sim/coulomb/direct/jacobian_pairs.inl"
#include "sim/coulomb/direct/target_sums.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

template <Kernel kernel, class Pair>
void sum_range(const Job& job, std::int64_t begin, std::int64_t end) {
  static_assert(Pair::record == shape_of(kernel).record && Pair::sums == shape_of(kernel).sums);
  const std::int64_t lanes = hn::Lanes(D());
  OwnSources own(job, begin);
  for (std::int64_t i = begin; i < end; i += lanes) {
    own.move_to(i + lanes);
    sum_targets<Pair>(job, i, own);
  }
}

void run_here(Kernel kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  switch (kernel) {
    case Kernel::ChargeField:
      return sum_range<Kernel::ChargeField, ChargePair<true, false>>(job, begin, end);
    case Kernel::ChargePotential:
      return sum_range<Kernel::ChargePotential, ChargePair<false, true>>(job, begin, end);
    case Kernel::ChargeBoth:
      return sum_range<Kernel::ChargeBoth, ChargePair<true, true>>(job, begin, end);
    case Kernel::DipoleField:
      return sum_range<Kernel::DipoleField, DipolePair<true, false>>(job, begin, end);
    case Kernel::DipolePotential:
      return sum_range<Kernel::DipolePotential, DipolePair<false, true>>(job, begin, end);
    case Kernel::DipoleBoth:
      return sum_range<Kernel::DipoleBoth, DipolePair<true, true>>(job, begin, end);
    case Kernel::ChargeFieldGradient:
      return sum_range<Kernel::ChargeFieldGradient, ChargeGradientPair>(job, begin, end);
    case Kernel::DipoleFieldGradient:
      return sum_range<Kernel::DipoleFieldGradient, DipoleGradientPair>(job, begin, end);
    case Kernel::Jvp:
      return sum_range<Kernel::Jvp, JvpPair>(job, begin, end);
    case Kernel::Vjp:
      return sum_range<Kernel::Vjp, VjpPair>(job, begin, end);
  }
}

const char* name_here() { return hwy::TargetName(HWY_TARGET); }

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim::direct {

HWY_EXPORT(run_here);
HWY_EXPORT(name_here);

void run(Kernel kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(run_here)(kernel, job, begin, end);
}

const char* instruction_set() { return HWY_DYNAMIC_DISPATCH(name_here)(); }

}  // namespace pithball::sim::direct
#endif
