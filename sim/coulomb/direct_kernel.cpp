#include "sim/coulomb/direct_kernel.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/direct_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "sim/coulomb/pair_sums.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

/// Sources are summed in runs of so many before they join the total: the rounding error of a sum of n terms then
/// grows with √(run) + √(n/run) instead of √n.
constexpr std::int64_t run_length = 512;

/// Sums of the vector of targets from i on. One vector at a time is enough: successive sources are independent but for
/// the final additions, so the processor overlaps them; several vectors at a time were measured to be no faster.
template <class Pair>
void sum_targets(const Job& job, std::int64_t i) {
  const double* const index_end = job.source_index + job.sources;
  const auto position = [&](std::int64_t target) {
    return std::lower_bound(job.source_index, index_end, static_cast<double>(target)) - job.source_index;
  };
  // Sources in [own_begin, own_end) may be one of the targets themselves; only there the mask is needed.
  const std::int64_t own_begin = position(i), own_end = position(i + static_cast<std::int64_t>(hn::Lanes(D())));
  const V softening2 = hn::Set(D(), job.softening2);

  for (int k = 0; k < Pair::sums; ++k) hn::Store(hn::Zero(D()), D(), job.sum[k] + i);
  for (std::int64_t first = 0; first < job.sources; first += run_length) {
    const std::int64_t last = std::min(first + run_length, job.sources);
    const std::int64_t own_first = std::clamp(own_begin, first, last), own_last = std::clamp(own_end, first, last);
    Pair pair;
    pair.load(job, i);
    const double* s = job.source + first * Pair::record;
    std::int64_t j = first;
    for (; j < own_first; ++j, s += Pair::record) pair.add(s, softening2, NoSelf());
    for (; j < own_last; ++j, s += Pair::record) pair.add(s, softening2, Self(i, job.source_index[j]));
    for (; j < last; ++j, s += Pair::record) pair.add(s, softening2, NoSelf());
    pair.store(job, i);
  }
}

template <Kernel kernel, class Pair>
void sum_range(const Job& job, std::int64_t begin, std::int64_t end) {
  static_assert(Pair::record == shape_of(kernel).record && Pair::sums == shape_of(kernel).sums);
  for (std::int64_t i = begin; i < end; i += static_cast<std::int64_t>(hn::Lanes(D()))) sum_targets<Pair>(job, i);
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
