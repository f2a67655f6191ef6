// The kernels in float32: twice the lanes, and an approximate root that needs one correction.
#include "sim/coulomb/direct/direct_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/direct/single_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include <algorithm>

#include "sim/coulomb/direct/charge_pairs.inl"
#include "sim/coulomb/direct/single_roots.inl"
#include "sim/coulomb/direct/target_sums.inl"

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::direct::HWY_NAMESPACE {

/// Contribution of one source to one vector of targets; `largest` is the largest 1/ρ (to 3 digits) encountered.
template <bool with_field, bool with_potential>
struct SinglePair {
  V3F x, field;
  VF potential, largest;

  PITHBALL_KERNEL explicit SinglePair(const V3F& at)
      : x(at), field(V3F::zero()), potential(hn::Zero(F())), largest(hn::Zero(F())) {}

  template <class SelfCheck>
  PITHBALL_KERNEL void add(const float* s, VF softening2, SelfCheck self) {
    const V3F r = x.minus(s);
    const VF rho2 = r.dot_plus(r, softening2), a = hn::Set(F(), s[3]);
    const VF y = self.clear(approximate_root(rho2)), y2 = hn::Mul(y, y);
    largest = hn::Max(largest, y);
    if constexpr (with_potential) potential = hn::MulAdd(hn::Mul(a, y), inverse_correction(rho2, y2), potential);
    if constexpr (with_field) field.add(hn::Mul(hn::Mul(hn::Mul(a, y), y2), cube_correction(rho2, y2)), r);
  }
};

/// Number of targets that share a center and a float copy of the sources, and number of sources whose contributions are
/// summed in float before this sum is added to a total in double.
constexpr std::int64_t chunk = 128, tile = 256;

template <Kernel kernel, bool with_field, bool with_potential>
class ChunkSum {
 public:
  /// Targets begin ≤ i < end, at most `chunk`.
  ChunkSum(const Job& job, std::int64_t begin, std::int64_t end) : job_(job), begin_(begin), end_(end) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
    for (int a = 0; a < 3; ++a) {
      const double* x = job.target[a];
      V low = hn::Set(D(), x[begin]), high = low;
      std::int64_t i = begin;
      for (; i + lanes <= end; i += lanes) {
        low = hn::Min(low, hn::Load(D(), x + i));
        high = hn::Max(high, hn::Load(D(), x + i));
      }
      double lowest = hn::GetLane(hn::MinOfLanes(D(), low)), highest = hn::GetLane(hn::MaxOfLanes(D(), high));
      for (; i < end; ++i) {
        lowest = std::min(lowest, x[i]);
        highest = std::max(highest, x[i]);
      }
      const double half = 0.5 * (highest - lowest);
      center_[a] = center_[a + 4] = 0.5 * (lowest + highest);
      radius2_ += half * half;
      for (i = begin; i < end; ++i) target_[a][i - begin] = static_cast<float>(x[i] - center_[a]);
    }
  }

  void add() {
    for (std::int64_t first = 0; first < job_.sources; first += tile)
      add_tile(first, std::min(first + tile, job_.sources));

    const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
    OwnSources own(job_, begin_);
    for (std::int64_t i = begin_; i < end_; i += lanes) {
      own.move_to(i + lanes);
      if (too_close(i, std::min(i + lanes, end_)))
        sum_targets<ChargePair<with_field, with_potential>>(job_, i, own);
      else
        for (int k = 0; k < sums; ++k) store_sum(job_, k, i, hn::Load(D(), sum_[k] + (i - begin_)), 1);
    }
  }

 private:
  static constexpr int sums = shape_of(kernel).sums;

  void add_tile(std::int64_t first, std::int64_t last) {
    alignas(64) float records[4 * tile];
    convert(job_.source + 4 * first, 4 * (last - first), records);
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(F()));
    const VF softening2 = hn::Set(F(), static_cast<float>(job_.softening2));
    OwnSources own(job_, begin_);
    for (std::int64_t i = begin_; i < end_; i += lanes) {
      own.move_to(i + lanes);
      const std::int64_t at = i - begin_;
      SinglePair<with_field, with_potential> pair(
          V3F{hn::Load(F(), target_[0] + at), hn::Load(F(), target_[1] + at), hn::Load(F(), target_[2] + at)});
      for_sources<F>(job_, i, own, first, last, [&](std::int64_t j, auto self) HWY_ATTR {
        pair.add(records + 4 * (j - first), softening2, self);
      });
      if constexpr (with_field) {
        store(0, at, pair.field.x, single_cube_unit);
        store(1, at, pair.field.y, single_cube_unit);
        store(2, at, pair.field.z, single_cube_unit);
      }
      if constexpr (with_potential) store(with_field ? 3 : 0, at, pair.potential, single_inverse_unit);
      hn::Store(hn::Max(hn::Load(F(), largest_ + at), pair.largest), F(), largest_ + at);
    }
  }

  /// `count` numbers of records [x y z a] as float, relative to the center.
  void convert(const double* source, std::int64_t count, float* out) const {
    const D d;
    const hn::Rebind<float, D> f;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t k = 0;
    for (; k + lanes <= count; k += lanes)
      hn::StoreU(hn::DemoteTo(f, hn::Sub(hn::LoadU(d, source + k), hn::LoadU(d, center_ + k % 4))), f, out + k);
    for (; k < count; ++k) out[k] = static_cast<float>(source[k] - center_[k % 4]);
  }

  PITHBALL_KERNEL void store(int k, std::int64_t at, VF value, double unit) {
    alignas(64) float parts[hn::MaxLanes(F())];
    hn::Store(value, F(), parts);
    for (std::size_t lane = 0; lane < hn::Lanes(F()); ++lane) sum_[k][at + lane] += unit * parts[lane];
  }

  /// Coordinates are rounded to 2⁻²⁴ of the radius R of the chunk: a pair at distance ρ is accurate to about 1e-7 R/ρ.
  bool too_close(std::int64_t i, std::int64_t last) const {
    constexpr double ratio = 1.0 / 32;
    for (; i < last; ++i)
      if (const double inverse = largest_[i - begin_]; !(inverse * inverse * radius2_ * ratio * ratio < 1)) return true;
    return false;
  }

  const Job& job_;
  std::int64_t begin_, end_;
  double center_[8] = {}, radius2_ = 0;  ///< center of a record: x, y, z, 0; twice
  alignas(64) double sum_[sums][chunk] = {};
  alignas(64) float target_[3][chunk] = {}, largest_[chunk] = {};
};

template <Kernel kernel, bool with_field, bool with_potential>
void sum_chunks(const Job& job, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; i += chunk)
    ChunkSum<kernel, with_field, with_potential>(job, i, std::min(i + chunk, end)).add();
}

void run_single_here(Kernel kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  switch (kernel) {
    case Kernel::ChargeField:
      return sum_chunks<Kernel::ChargeField, true, false>(job, begin, end);
    case Kernel::ChargePotential:
      return sum_chunks<Kernel::ChargePotential, false, true>(job, begin, end);
    case Kernel::ChargeBoth:
      return sum_chunks<Kernel::ChargeBoth, true, true>(job, begin, end);
    default:
      return run(kernel, job, begin, end);
  }
}

}  // namespace pithball::sim::direct::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim::direct {

HWY_EXPORT(run_single_here);

void run_single(Kernel kernel, const Job& job, std::int64_t begin, std::int64_t end) {
  HWY_DYNAMIC_DISPATCH(run_single_here)(kernel, job, begin, end);
}

}  // namespace pithball::sim::direct
#endif
