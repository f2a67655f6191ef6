#include "sim/force/axial_change.hpp"

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/force/axial_change.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::sim::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Returns u·(x, y, z) for one vector of directions.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V along(const D d, const Vec3& u, const V& x, const V& y, const V& z) {
  return hn::MulAdd(hn::Set(d, u[0]), x, hn::MulAdd(hn::Set(d, u[1]), y, hn::Mul(hn::Set(d, u[2]), z)));
}

/// Adds the changes along the directions from p on, in whole vectors; returns the first direction that is left over.
template <class D>
HWY_INLINE Index add_from(const D d, Index p, const AxialChange& c, const Directions& directions, Panel& df) {
  const Index P = directions.count(), step = static_cast<Index>(hn::Lanes(d));
  const auto column = [P](const Panel& panel, Index at) { return panel.data() + at * P; };
  const double *const xi = column(directions.x, 3 * c.i), *const xj = column(directions.x, 3 * c.j);
  const double *const vi = column(directions.v, 3 * c.i), *const vj = column(directions.v, 3 * c.j);
  const double *const y0 = column(directions.values->panel, c.value[0]), *const y1 = column(directions.values->panel,
                                                                                            c.value[1]);
  double *const fi = df.data() + 3 * c.i * P, *const fj = df.data() + 3 * c.j * P;
  const bool by_velocity = !c.by_velocity.isZero(0);
  for (; p + step <= P; p += step) {
    const auto between = [&](const double* a, const double* b, Index axis) {
      return hn::Sub(hn::LoadU(d, a + axis * P + p), hn::LoadU(d, b + axis * P + p));
    };
    const auto x = between(xi, xj, 0), y = between(xi, xj, 1), z = between(xi, xj, 2);
    auto part = along(d, c.by_place, x, y, z);
    part = hn::MulAdd(hn::Set(d, c.by_value[0]), hn::LoadU(d, y0 + p), part);
    part = hn::MulAdd(hn::Set(d, c.by_value[1]), hn::LoadU(d, y1 + p), part);
    if (by_velocity)
      part = hn::Add(part, along(d, c.by_velocity, between(vi, vj, 0), between(vi, vj, 1), between(vi, vj, 2)));
    const auto add = [&](Index axis, const hn::Vec<D>& of_b) {
      const auto change = hn::NegMulAdd(hn::Set(d, c.across), of_b, hn::Mul(hn::Set(d, c.axis[axis]), part));
      double *const f = fi + axis * P + p, *const g = fj + axis * P + p;
      hn::StoreU(hn::Add(hn::LoadU(d, f), change), d, f);
      hn::StoreU(hn::Sub(hn::LoadU(d, g), change), d, g);
    };
    add(0, x);
    add(1, y);
    add(2, z);
  }
  return p;
}

void add_change_here(const AxialChange& c, const Directions& directions, Panel& df) {
  Index p = add_from(hn::ScalableTag<double>(), 0, c, directions, df);
  p = add_from(hn::CappedTag<double, 4>(), p, c, directions, df);
  p = add_from(hn::CappedTag<double, 2>(), p, c, directions, df);
  add_from(hn::CappedTag<double, 1>(), p, c, directions, df);
}

}  // namespace pithball::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::sim {

HWY_EXPORT(add_change_here);

void add_change(const AxialChange& change, const Directions& directions, Panel& df) {
  HWY_DYNAMIC_DISPATCH(add_change_here)(change, directions, df);
}

}  // namespace pithball::sim
#endif
