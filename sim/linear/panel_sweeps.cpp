#include "sim/linear/panel_sweeps.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/linear/panel_sweeps.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, panel_width>;
using V = hn::VFromD<D>;
constexpr D d;

/// A vector of one place, for as many systems as there are lanes.
struct Lanes {
  V x, y, z;
};

HWY_INLINE Lanes load(const double* at) {
  return {hn::LoadU(d, at), hn::LoadU(d, at + panel_width), hn::LoadU(d, at + 2 * panel_width)};
}
HWY_INLINE void store(const Lanes& v, double* at) {
  hn::StoreU(v.x, d, at);
  hn::StoreU(v.y, d, at + panel_width);
  hn::StoreU(v.z, d, at + 2 * panel_width);
}
HWY_INLINE Lanes zero() { return {hn::Zero(d), hn::Zero(d), hn::Zero(d)}; }
HWY_INLINE Lanes operator+(const Lanes& a, const Lanes& b) {
  return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Lanes operator-(const Lanes& a, const Lanes& b) {
  return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
/// a + f b.
HWY_INLINE Lanes add_multiple(const Lanes& a, V f, const Lanes& b) {
  return {hn::MulAdd(f, b.x, a.x), hn::MulAdd(f, b.y, a.y), hn::MulAdd(f, b.z, a.z)};
}
/// a − f b.
HWY_INLINE Lanes subtract_multiple(const Lanes& a, V f, const Lanes& b) {
  return {hn::NegMulAdd(f, b.x, a.x), hn::NegMulAdd(f, b.y, a.y), hn::NegMulAdd(f, b.z, a.z)};
}
/// sum + aᵀ b.
HWY_INLINE V add_dot(V sum, const Lanes& a, const Lanes& b) {
  return hn::MulAdd(a.z, b.z, hn::MulAdd(a.y, b.y, hn::MulAdd(a.x, b.x, sum)));
}
/// sum + B v, of a symmetric block.
HWY_INLINE void add_product(const double* m, const Lanes& v, Lanes& sum) {
  const V xy = hn::Set(d, m[1]), xz = hn::Set(d, m[3]), yz = hn::Set(d, m[4]);
  sum.x = hn::MulAdd(xz, v.z, hn::MulAdd(xy, v.y, hn::MulAdd(hn::Set(d, m[0]), v.x, sum.x)));
  sum.y = hn::MulAdd(yz, v.z, hn::MulAdd(hn::Set(d, m[2]), v.y, hn::MulAdd(xy, v.x, sum.y)));
  sum.z = hn::MulAdd(hn::Set(d, m[5]), v.z, hn::MulAdd(yz, v.y, hn::MulAdd(xz, v.x, sum.z)));
}
HWY_INLINE Lanes product(const double* m, const Lanes& v) {
  Lanes sum = zero();
  add_product(m, v, sum);
  return sum;
}
/// sum + a × v.
HWY_INLINE void add_cross(const double* a, const Lanes& v, Lanes& sum) {
  const V x = hn::Set(d, a[0]), y = hn::Set(d, a[1]), z = hn::Set(d, a[2]);
  sum.x = hn::NegMulAdd(z, v.y, hn::MulAdd(y, v.z, sum.x));
  sum.y = hn::NegMulAdd(x, v.z, hn::MulAdd(z, v.x, sum.y));
  sum.z = hn::NegMulAdd(y, v.x, hn::MulAdd(x, v.y, sum.z));
}

HWY_INLINE void add_entry(const SweepRows& A, std::ptrdiff_t e, const double* v, Lanes& sum) {
  const Lanes of_column = load(v + 3 * panel_width * A.column[e]);
  add_product(A.entries + 6 * e, of_column, sum);
  if (A.skew) add_cross(A.skew + 3 * e, of_column, sum);
}
/// Σ A_ij v_j over earlier places j. Nearest places last, because they are the last to be known.
HWY_INLINE Lanes lower_sum(const SweepRows& A, std::ptrdiff_t i, const double* v) {
  Lanes sum = zero();
  for (std::ptrdiff_t e = A.lower_begin[i], end = A.lower_begin[i + 1]; e < end; ++e) add_entry(A, e, v, sum);
  return sum;
}
/// Over later places.
HWY_INLINE Lanes upper_sum(const SweepRows& A, std::ptrdiff_t i, const double* v) {
  Lanes sum = zero();
  for (std::ptrdiff_t begin = A.upper_begin[i], e = A.upper_begin[i + 1]; e-- > begin;) add_entry(A, e, v, sum);
  return sum;
}

/// Calls row(c) for the first system c of each group that fills the lanes.
template <class Row>
HWY_INLINE void for_each_group(const Row& row) {
  for (std::ptrdiff_t c = 0; c < panel_width; c += static_cast<std::ptrdiff_t>(hn::Lanes(d))) row(c);
}

/// Makes the last update at a place, and returns r̃.
HWY_INLINE Lanes advance(const SweepRows& A, std::ptrdiff_t i, const SweepPanels& v, std::ptrdiff_t c, double* rr) {
  const std::ptrdiff_t at = 3 * panel_width * i + c;
  const V alpha = hn::LoadU(d, v.alpha + c);
  const Lanes direction = load(v.direction + at);
  store(add_multiple(load(v.x + at), alpha, direction), v.x + at);
  const Lanes r = subtract_multiple(load(v.r + at), alpha, direction + load(v.s + at));
  store(r, v.r + at);
  hn::StoreU(add_dot(hn::LoadU(d, rr + c), r, product(A.diagonal + 6 * i, r)), d, rr + c);
  return r;
}

}  // namespace

void solve_lower_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, double* r) {
  for (std::ptrdiff_t i = begin; i < end; ++i)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
      double* const at = r + 3 * panel_width * i + c;
      store(product(A.inverse + 6 * i, load(at) - lower_sum(A, i, r + c)), at);
    });
}

void advance_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                  const PanelSums& sums) {
  for (std::ptrdiff_t i = begin; i < end; ++i)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR { advance(A, i, v, c, sums.rr); });
}

void next_direction_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                         const PanelSums& sums) {
  for (std::ptrdiff_t i = end; i-- > begin;)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
      const std::ptrdiff_t at = 3 * panel_width * i + c;
      const Lanes r = advance(A, i, v, c, sums.rr);
      const Lanes p = add_multiple(r, hn::LoadU(d, v.beta + c), load(v.p + at));
      store(p, v.p + at);
      store(p - product(A.inverse + 6 * i, upper_sum(A, i, v.direction + c)), v.direction + at);
    });
}

void multiply_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                   const PanelSums& sums) {
  for (std::ptrdiff_t i = begin; i < end; ++i)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
      const std::ptrdiff_t at = 3 * panel_width * i + c;
      const Lanes p = load(v.p + at), direction = load(v.direction + at);
      const Lanes s = subtract_multiple(p, hn::Set(d, 2 - A.relaxation), direction) -
                      product(A.inverse + 6 * i, lower_sum(A, i, v.s + c));
      store(s, v.s + at);
      const Lanes q = direction + s, Dq = product(A.diagonal + 6 * i, q);
      hn::StoreU(add_dot(hn::LoadU(d, sums.pq + c), p, Dq), d, sums.pq + c);
      hn::StoreU(add_dot(hn::LoadU(d, sums.rq + c), load(v.r + at), Dq), d, sums.rq + c);
      hn::StoreU(add_dot(hn::LoadU(d, sums.qq + c), q, Dq), d, sums.qq + c);
    });
}

void add_residual_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* r, double* squares) {
  for (std::ptrdiff_t i = begin; i < end; ++i)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
      Lanes sum = lower_sum(A, i, r + c);
      add_product(A.diagonal + 6 * i, load(r + 3 * panel_width * i + c), sum);
      hn::StoreU(add_dot(hn::LoadU(d, squares + c), sum, sum), d, squares + c);
    });
}

void subtract_product_here(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* x, double* b) {
  for (std::ptrdiff_t i = begin; i < end; ++i)
    for_each_group([&](std::ptrdiff_t c) HWY_ATTR {
      const std::ptrdiff_t at = 3 * panel_width * i + c;
      const Lanes across = lower_sum(A, i, x + c) + upper_sum(A, i, x + c),
                  own = product(A.diagonal + 6 * i, load(x + at));
      store(load(b + at) - add_multiple(across, hn::Set(d, A.relaxation), own), b + at);
    });
}

}  // namespace pithball::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim {

HWY_EXPORT(solve_lower_here);
HWY_EXPORT(advance_here);
HWY_EXPORT(next_direction_here);
HWY_EXPORT(multiply_here);
HWY_EXPORT(add_residual_here);
HWY_EXPORT(subtract_product_here);

void solve_lower_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, double* r) {
  HWY_DYNAMIC_DISPATCH(solve_lower_here)(A, begin, end, r);
}
void advance_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                   const PanelSums& sums) {
  HWY_DYNAMIC_DISPATCH(advance_here)(A, begin, end, v, sums);
}
void next_direction_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                          const PanelSums& sums) {
  HWY_DYNAMIC_DISPATCH(next_direction_here)(A, begin, end, v, sums);
}
void multiply_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                    const PanelSums& sums) {
  HWY_DYNAMIC_DISPATCH(multiply_here)(A, begin, end, v, sums);
}
void add_residual_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* r,
                        double* squares) {
  HWY_DYNAMIC_DISPATCH(add_residual_here)(A, begin, end, r, squares);
}
void subtract_product_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* x, double* b) {
  HWY_DYNAMIC_DISPATCH(subtract_product_here)(A, begin, end, x, b);
}

}  // namespace pithball::sim
#endif
