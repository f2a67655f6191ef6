#include "experiments/bench/chebyshev_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// Highway compiles the rest of this file once for each instruction set and chooses among them at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "experiments/bench/chebyshev_kernel.cpp"
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pithball::experiments::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr int lanes = HWY_MIN(HWY_LANES(double), 8), most = 32;

/// Lagrange polynomials, and if wanted their derivatives, of all nodes at one vector of numbers.
struct Basis {
  alignas(64) double value[most * lanes], derivative[most * lanes];

  template <bool derivatives>
  HWY_ATTR void find(const ChebyshevNodes& nodes, V x) {
    const D d;
    const int n = nodes.order();
    // Products over the nodes before j, then times those behind it; (ab)' = a'b + ab'.
    V product = hn::Set(d, 1.0), slope = hn::Zero(d);
    for (int j = 0; j < n; ++j) {
      const V factor = hn::Sub(x, hn::Set(d, nodes.node[static_cast<std::size_t>(j)]));
      hn::Store(product, d, value + j * lanes);
      if (derivatives) hn::Store(slope, d, derivative + j * lanes);
      if (derivatives) slope = hn::MulAdd(slope, factor, product);
      product = hn::Mul(product, factor);
    }
    product = hn::Set(d, 1.0), slope = hn::Zero(d);
    for (int j = n - 1; j >= 0; --j) {
      const V factor = hn::Sub(x, hn::Set(d, nodes.node[static_cast<std::size_t>(j)]));
      const V weight = hn::Set(d, nodes.weight[static_cast<std::size_t>(j)]);
      const V before = hn::Load(d, value + j * lanes);
      hn::Store(hn::Mul(weight, hn::Mul(before, product)), d, value + j * lanes);
      if (derivatives) {
        const V slope_before = hn::Load(d, derivative + j * lanes);
        hn::Store(hn::Mul(weight, hn::MulAdd(slope_before, product, hn::Mul(before, slope))), d,
                  derivative + j * lanes);
        slope = hn::MulAdd(slope, factor, product);
      }
      product = hn::Mul(product, factor);
    }
  }
  V at(int j) const { return hn::Load(D(), value + j * lanes); }
  V slope(int j) const { return hn::Load(D(), derivative + j * lanes); }
};

HWY_ATTR void add_moments_here(const ChebyshevNodes& nodes, const sim::fmm::PointRange& points, const double* charge,
                               double* coefficient) {
  const D d;
  const int n = nodes.order(), row = (n + lanes - 1) / lanes * lanes;
  Basis x, y, z;
  alignas(64) double by_point[lanes][most];  // l_x, a vector of nodes for each point
  alignas(64) double weight[lanes], sum[most];
  for (std::int64_t i = points.begin; i < points.end; i += lanes) {
    x.find<false>(nodes, hn::LoadU(d, points.x[0] + i));
    y.find<false>(nodes, hn::LoadU(d, points.x[1] + i));
    z.find<false>(nodes, hn::LoadU(d, points.x[2] + i));
    for (int l = 0; l < lanes; ++l)
      for (int j = 0; j < row; ++j) by_point[l][j] = j < n ? x.value[j * lanes + l] : 0;
    for (int c = 0; c < n; ++c) {
      const V along_z = hn::Mul(hn::LoadU(d, charge + i), z.at(c));
      for (int b = 0; b < n; ++b) {
        hn::Store(hn::Mul(along_z, y.at(b)), d, weight);
        double* const out = coefficient + (c * n + b) * n;
        for (int j = 0; j < row; j += lanes) {
          V even = hn::Zero(d), odd = hn::Zero(d);
          for (int l = 0; l + 1 < lanes; l += 2) {
            even = hn::MulAdd(hn::Set(d, weight[l]), hn::Load(d, by_point[l] + j), even);
            odd = hn::MulAdd(hn::Set(d, weight[l + 1]), hn::Load(d, by_point[l + 1] + j), odd);
          }
          if (lanes == 1) even = hn::Mul(hn::Set(d, weight[0]), hn::Load(d, by_point[0] + j));
          if (j + lanes <= n) {
            hn::StoreU(hn::Add(hn::LoadU(d, out + j), hn::Add(even, odd)), d, out + j);
          } else {
            hn::Store(hn::Add(even, odd), d, sum);
            for (int k = j; k < n; ++k) out[k] += sum[k - j];
          }
        }
      }
    }
  }
}

HWY_ATTR void add_field_here(const ChebyshevNodes& nodes, const double* coefficient, const sim::fmm::PointRange& points,
                             double* const* field) {
  const D d;
  const int n = nodes.order();
  Basis x, y, z;
  for (std::int64_t i = points.begin; i < points.end; i += lanes) {
    x.find<true>(nodes, hn::LoadU(d, points.x[0] + i));
    y.find<true>(nodes, hn::LoadU(d, points.x[1] + i));
    z.find<true>(nodes, hn::LoadU(d, points.x[2] + i));
    V e[3] = {hn::LoadU(d, field[0] + i), hn::LoadU(d, field[1] + i), hn::LoadU(d, field[2] + i)};
    const double* a = coefficient;
    for (int c = 0; c < n; ++c) {
      V plane = hn::Zero(d), plane_x = hn::Zero(d), plane_y = hn::Zero(d);
      for (int b = 0; b < n; ++b, a += n) {
        V line = hn::Zero(d), line_x = hn::Zero(d);
        for (int j = 0; j < n; ++j) {
          const V here = hn::Set(d, a[j]);
          line = hn::MulAdd(here, x.at(j), line);
          line_x = hn::MulAdd(here, x.slope(j), line_x);
        }
        plane = hn::MulAdd(line, y.at(b), plane);
        plane_x = hn::MulAdd(line_x, y.at(b), plane_x);
        plane_y = hn::MulAdd(line, y.slope(b), plane_y);
      }
      e[0] = hn::NegMulAdd(plane_x, z.at(c), e[0]);
      e[1] = hn::NegMulAdd(plane_y, z.at(c), e[1]);
      e[2] = hn::NegMulAdd(plane, z.slope(c), e[2]);
    }
    for (int k = 0; k < 3; ++k) hn::StoreU(e[k], d, field[k] + i);
  }
}

}  // namespace pithball::experiments::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pithball::experiments {

HWY_EXPORT(add_moments_here);
HWY_EXPORT(add_field_here);

ChebyshevNodes::ChebyshevNodes(int order) {
  for (int j = 0; j < order; ++j) node.push_back(0.5 * std::cos(std::numbers::pi * (2 * j + 1) / (2 * order)));
  for (const double here : node) {
    double product = 1;
    for (const double other : node)
      if (other != here) product *= here - other;
    weight.push_back(1 / product);
  }
}

void add_moments(const ChebyshevNodes& nodes, const sim::fmm::PointRange& points, const double* charge,
                 double* coefficient) {
  HWY_DYNAMIC_DISPATCH(add_moments_here)(nodes, points, charge, coefficient);
}

void add_field(const ChebyshevNodes& nodes, const double* coefficient, const sim::fmm::PointRange& points,
               double* const* field) {
  HWY_DYNAMIC_DISPATCH(add_field_here)(nodes, coefficient, points, field);
}

}  // namespace pithball::experiments
#endif
