// All sources for one vector of targets. Included once for each instruction set.
#if defined(PITHBALL_SIM_COULOMB_DIRECT_TARGET_SUMS_INL_) == defined(HWY_TARGET_TOGGLE)
#ifdef PITHBALL_SIM_COULOMB_DIRECT_TARGET_SUMS_INL_
#undef PITHBALL_SIM_COULOMB_DIRECT_TARGET_SUMS_INL_
#else
#define PITHBALL_SIM_COULOMB_DIRECT_TARGET_SUMS_INL_
#endif

#include <algorithm>

#include "sim/coulomb/direct/vectors.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

/// Sources are summed in runs of so many before they join the total: the rounding error of a sum of n terms then
/// grows with √(run) + √(n/run) instead of √n.
constexpr std::int64_t run_length = 512;

/// The sources [begin, end) that may be among a few successive targets. Found for ascending targets: one walk for all.
class OwnSources {
 public:
  OwnSources(const Job& job, std::int64_t first_target) : job_(job) {
    const double* const index = job.source_index;
    if (index) end = std::lower_bound(index, index + job.sources, static_cast<double>(first_target)) - index;
  }
  /// Moves on to the next targets, up to `last`.
  void move_to(std::int64_t last) {
    begin = end;
    if (job_.source_index)
      while (end < job_.sources && job_.source_index[end] < static_cast<double>(last)) ++end;
  }
  std::int64_t begin = 0, end = 0;

 private:
  const Job& job_;
};

/// Calls add(j, self) for the sources first ≤ j < last in their order; self is a mask only where it is needed.
template <class Tag, class Add>
HWY_INLINE HWY_ATTR void for_sources(const Job& job, std::int64_t i, const OwnSources& own, std::int64_t first,
                                     std::int64_t last, Add add) {
  const std::int64_t own_first = std::clamp(own.begin, first, last), own_last = std::clamp(own.end, first, last);
  std::int64_t j = first;
  for (; j < own_first; ++j) add(j, NoSelf());
  for (; j < own_last; ++j) add(j, SelfOf<Tag>(i, job.source_index[j]));
  for (; j < last; ++j) add(j, NoSelf());
}

/// Adds to the sums of the vector of targets from i on. One vector at a time is enough: successive sources are
/// independent but for the final additions, so the processor overlaps them; several vectors at a time were measured to
/// be no faster.
template <class Pair>
void sum_targets(const Job& job, std::int64_t i, const OwnSources& own) {
  const V softening2 = hn::Set(D(), job.softening2);
  for (std::int64_t first = 0; first < job.sources; first += run_length) {
    const std::int64_t last = std::min(first + run_length, job.sources);
    Pair pair;
    pair.load(job, i);
    for_sources<D>(job, i, own, first, last, [&](std::int64_t j, auto self) HWY_ATTR {
      pair.add(job.source + j * Pair::record, softening2, self);
    });
    pair.store(job, i);
  }
}

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
