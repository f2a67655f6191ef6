#include "sim/coulomb/direct_kernel.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/direct_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "sim/coulomb/pair_sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

/// Sources are summed in runs of so many before they join the total: the rounding error of a sum of n terms then
/// grows with √(run) + √(n/run) instead of √n.
constexpr std::int64_t run_length = 512;

/// Sums of `count` vectors of targets from i on.
template <class Pair, int count>
void sum_targets(const Job& job, std::int64_t i) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const double* const index_end = job.source_index + job.sources;
  const auto position = [&](std::int64_t target) {
    return std::lower_bound(job.source_index, index_end, static_cast<double>(target)) - job.source_index;
  };
  // Sources in [own_begin, own_end) may be one of the targets themselves; only there the mask is needed.
  const std::int64_t own_begin = position(i), own_end = position(i + count * lanes);
  const V softening2 = hn::Set(d, job.softening2);

  for (std::int64_t first = 0; first < job.sources; first += run_length) {
    const std::int64_t last = std::min(first + run_length, job.sources);
    Pair pair[count];
    for (int k = 0; k < count; ++k) pair[k].load(job, i + k * lanes);

    const auto add_others = [&](std::int64_t from, std::int64_t to) HWY_ATTR {
      const double* s = job.source + from * Pair::record;
      for (std::int64_t j = from; j < to; ++j, s += Pair::record)
        for (int k = 0; k < count; ++k) pair[k].add(s, softening2, NoSelf());
    };
    add_others(first, std::clamp(own_begin, first, last));
    for (std::int64_t j = std::clamp(own_begin, first, last); j < std::clamp(own_end, first, last); ++j)
      for (int k = 0; k < count; ++k)
        pair[k].add(job.source + j * Pair::record, softening2, Self(i + k * lanes, job.source_index[j]));
    add_others(std::clamp(own_end, first, last), last);

    for (int k = 0; k < count; ++k) pair[k].store(job, i + k * lanes);
  }
}

/// Two vectors of targets at a time: enough to hide latencies, and few enough to stay in registers.
template <class Pair>
void sum_range(const Job& job, std::int64_t begin, std::int64_t end) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  for (std::int64_t i = begin; i < end; i += 2 * lanes) sum_targets<Pair, 2>(job, i);
}

void run_here(Kernel kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  switch (kernel) {
    case Kernel::ChargeField: return sum_range<ChargePair<true, false>>(job, begin, end);
    case Kernel::ChargePotential: return sum_range<ChargePair<false, true>>(job, begin, end);
    case Kernel::ChargeBoth: return sum_range<ChargePair<true, true>>(job, begin, end);
    case Kernel::DipoleField: return sum_range<DipolePair<true, false>>(job, begin, end);
    case Kernel::DipolePotential: return sum_range<DipolePair<false, true>>(job, begin, end);
    case Kernel::DipoleBoth: return sum_range<DipolePair<true, true>>(job, begin, end);
    case Kernel::Jvp: return sum_range<JvpPair>(job, begin, end);
    case Kernel::Vjp: return sum_range<VjpPair>(job, begin, end);
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

Shape shape_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::ChargeField: return {4, 3};
    case Kernel::ChargePotential: return {4, 1};
    case Kernel::ChargeBoth: return {4, 4};
    case Kernel::DipoleField: return {6, 3};
    case Kernel::DipolePotential: return {6, 1};
    case Kernel::DipoleBoth: return {6, 4};
    case Kernel::Jvp: return {8, 3};
    case Kernel::Vjp: return {7, 4};
  }
  return {};
}

}  // namespace pithball::sim::direct
#endif
