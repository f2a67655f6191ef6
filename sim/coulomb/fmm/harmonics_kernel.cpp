#include "sim/coulomb/fmm/harmonics_kernel.hpp"

#include <algorithm>

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/coulomb/fmm/harmonics_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::fmm::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int lanes = HWY_MIN(HWY_LANES(double), 8);

/// Runs the recurrences at one vector of points. Calls `take(place of C, C, place of S, S)` for each pair of harmonics
/// and `take(place of C, C)` for m = 0, which has no sine.
template <class TakeCosine, class TakeBoth>
HWY_INLINE HWY_ATTR void for_harmonics(Harmonics kind, const Recurrence& recurrence, const Frame& frame,
                                       const PointRange& points, std::int64_t i, TakeCosine take_cosine,
                                       TakeBoth take_both) {
  const D d;
  const V inverse_side = hn::Set(d, 1 / frame.side);
  const auto coordinate = [&](int a) HWY_ATTR {
    return hn::Mul(hn::Sub(hn::Load(d, points.x[a] + i), hn::Set(d, frame.center[a])), inverse_side);
  };
  V x = coordinate(0), y = coordinate(1), z = coordinate(2);
  V r2 = hn::MulAdd(z, z, hn::MulAdd(y, y, hn::Mul(x, x)));
  V c = hn::Set(d, 1.0), s = hn::Zero(d);
  if (kind == Harmonics::Irregular) {  // the same recurrences at the inverted point
    c = hn::Div(c, hn::Sqrt(r2));
    r2 = hn::Mul(c, c);
    x = hn::Mul(x, r2), y = hn::Mul(y, r2), z = hn::Mul(z, r2);
  }
  const int order = recurrence.order;
  const double* ahead = recurrence.ahead.data();
  const double* behind = recurrence.behind.data();
  {
    V c1 = c, c2 = hn::Zero(d);
    take_cosine(0, c1);
    for (int n = 1; n <= order; ++n) {
      const V a = hn::Mul(hn::Set(d, *ahead++), z), b = hn::Mul(hn::Set(d, *behind++), r2);
      const V c0 = hn::MulSub(a, c1, hn::Mul(b, c2));
      take_cosine(cosine(n, 0), c0);
      c2 = c1, c1 = c0;
    }
  }
  for (int m = 1; m <= order; ++m) {
    const V factor = hn::Set(d, recurrence.sectoral[m]), before = c;
    c = hn::Mul(factor, hn::MulSub(x, before, hn::Mul(y, s)));
    s = hn::Mul(factor, hn::MulAdd(x, s, hn::Mul(y, before)));
    V c1 = c, c2 = hn::Zero(d), s1 = s, s2 = hn::Zero(d);
    take_both(cosine(m, m), c1, sine(m, m), s1);
    for (int n = m + 1; n <= order; ++n) {
      const V a = hn::Mul(hn::Set(d, *ahead++), z), b = hn::Mul(hn::Set(d, *behind++), r2);
      const V c0 = hn::MulSub(a, c1, hn::Mul(b, c2)), s0 = hn::MulSub(a, s1, hn::Mul(b, s2));
      take_both(cosine(n, m), c0, sine(n, m), s0);
      c2 = c1, c1 = c0, s2 = s1, s1 = s0;
    }
  }
}

template <int weights>
HWY_ATTR void add_moments_of(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points,
                             const double* const* weight, double* moments, double* scratch) {
  const D d;
  const int count = coefficients(recurrence.order);
  std::fill(scratch, scratch + count * weights * lanes, 0.0);
  for (std::int64_t i = points.begin; i < points.end; i += lanes) {
    V w[weights];
    for (int k = 0; k < weights; ++k) w[k] = hn::Load(d, weight[k] + i);
    const auto take = [&](int place, V h) HWY_ATTR {
      double* const out = scratch + place * weights * lanes;
      for (int k = 0; k < weights; ++k)
        hn::Store(hn::MulAdd(w[k], h, hn::Load(d, out + k * lanes)), d, out + k * lanes);
    };
    for_harmonics(kind, recurrence, frame, points, i, take, [&](int cosine_place, V c, int sine_place, V s) HWY_ATTR {
      take(cosine_place, c);
      take(sine_place, s);
    });
  }
  for (int c = 0; c < count; ++c)
    for (int k = 0; k < weights; ++k)
      moments[k * count + c] += hn::GetLane(hn::SumOfLanes(d, hn::Load(d, scratch + (c * weights + k) * lanes)));
}

template <int values>
HWY_ATTR void add_values_of(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points,
                            const double* expansion, double* const* value) {
  const D d;
  for (std::int64_t i = points.begin; i < points.end; i += lanes) {
    V sum[values], sine_sum[values];
    for (int k = 0; k < values; ++k) sum[k] = sine_sum[k] = hn::Zero(d);
    const auto take = [&](V* sums, int place, V h) HWY_ATTR {
      const double* const e = expansion + place * values;
      for (int k = 0; k < values; ++k) sums[k] = hn::MulAdd(hn::Set(d, e[k]), h, sums[k]);
    };
    for_harmonics(
        kind, recurrence, frame, points, i, [&](int place, V c) HWY_ATTR { take(sum, place, c); },
        [&](int cosine_place, V c, int sine_place, V s) HWY_ATTR {
          take(sum, cosine_place, c);
          take(sine_sum, sine_place, s);
        });
    for (int k = 0; k < values; ++k) {
      double* const out = value[k] + i;
      hn::Store(hn::Add(hn::Load(d, out), hn::Add(sum[k], sine_sum[k])), d, out);
    }
  }
}

HWY_ATTR void add_moments_here(Harmonics kind, const Recurrence& recurrence, const Frame& frame,
                               const PointRange& points, int weights, const double* const* weight, double* moments,
                               double* scratch) {
  switch (weights) {
    case 1:
      return add_moments_of<1>(kind, recurrence, frame, points, weight, moments, scratch);
    case 3:
      return add_moments_of<3>(kind, recurrence, frame, points, weight, moments, scratch);
    case 4:
      return add_moments_of<4>(kind, recurrence, frame, points, weight, moments, scratch);
  }
}

HWY_ATTR void add_values_here(Harmonics kind, const Recurrence& recurrence, const Frame& frame,
                              const PointRange& points, int values, const double* expansion, double* const* value) {
  switch (values) {
    case 1:
      return add_values_of<1>(kind, recurrence, frame, points, expansion, value);
    case 3:
      return add_values_of<3>(kind, recurrence, frame, points, expansion, value);
    case 4:
      return add_values_of<4>(kind, recurrence, frame, points, expansion, value);
    case 9:
      return add_values_of<9>(kind, recurrence, frame, points, expansion, value);
    case 10:
      return add_values_of<10>(kind, recurrence, frame, points, expansion, value);
  }
}

}  // namespace pithball::sim::fmm::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim::fmm {

HWY_EXPORT(add_moments_here);
HWY_EXPORT(add_values_here);

void add_moments(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points,
                 int weights, const double* const* weight, double* moments, double* scratch) {
  HWY_DYNAMIC_DISPATCH(add_moments_here)(kind, recurrence, frame, points, weights, weight, moments, scratch);
}

void add_values(Harmonics kind, const Recurrence& recurrence, const Frame& frame, const PointRange& points, int values,
                const double* expansion, double* const* value) {
  HWY_DYNAMIC_DISPATCH(add_values_here)(kind, recurrence, frame, points, values, expansion, value);
}

}  // namespace pithball::sim::fmm
#endif
