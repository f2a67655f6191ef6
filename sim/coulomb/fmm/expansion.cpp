#include "sim/coulomb/fmm/expansion.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>

namespace pithball::sim::fmm {
namespace {

/// Memory of one thread that grows to what was asked for.
double* thread_scratch(std::size_t size) {
  thread_local hwy::AlignedFreeUniquePtr<double[]> memory;
  thread_local std::size_t capacity = 0;
  if (capacity < size) {
    memory = hwy::AllocateAligned<double>(size);
    capacity = size;
  }
  return memory.get();
}

}  // namespace

PointExpansion::PointExpansion(int order) : order_(order) {
  for (int more = 0; more <= 2; ++more) recurrences_.emplace_back(order + more);
  regular_.emplace_back(Harmonics::Regular, order);
  regular_.emplace_back(Harmonics::Regular, order - 1);
  irregular_.emplace_back(Harmonics::Irregular, order);
  irregular_.emplace_back(Harmonics::Irregular, order + 1);
}

void PointExpansion::add_moments(Harmonics kind, const Frame& frame, const PointRange& points, const Weights& weights,
                                 double* coefficient) const {
  const bool charges = weights.charge, dipoles = weights.dipole[0];
  const Recurrence& use = recurrence(kind, dipoles ? 1 : 0);
  const int count = coefficients(use.order), own = coefficients(order_);
  const double* weight[max_weights];
  int k = 0;
  if (charges) weight[k++] = weights.charge;
  for (int a = 0; dipoles && a < 3; ++a) weight[k++] = weights.dipole[a];
  if (k == 0) return;
  const std::size_t scratch_size = count * k * point_group;
  double* const scratch = thread_scratch(scratch_size + (count * k));
  double* moments = scratch + scratch_size;
  std::fill(moments, moments + count * k, 0.0);
  fmm::add_moments(kind, use, frame, points, k, weight, moments, scratch);
  if (charges) {
    for (int c = 0; c < own; ++c) coefficient[c] += moments[c];
    moments += count;
  }
  if (dipoles) {
    const Derivatives& derivatives = (kind == Harmonics::Regular ? regular_ : irregular_)[0];
    for (std::size_t a = 0; a < 3; ++a, moments += count)
      for (const Derivatives::Term& term : derivatives.axis[a])
        coefficient[term.of] += term.weight / frame.side * moments[term.to];
  }
}

void PointExpansion::add_values(Harmonics kind, const Frame& frame, const double* coefficient, const Wanted& wanted,
                                const PointRange& points, const Values& values) const {
  if (!wanted.any()) return;
  const auto& derivatives = kind == Harmonics::Regular ? regular_ : irregular_;
  const Recurrence& use = recurrence(kind, wanted.field_gradient ? 2 : wanted.field ? 1 : 0);
  const int own = coefficients(order_), count = coefficients(use.order);
  // A gradient comes with the field: its expansion is on the way.
  const bool field = wanted.field || wanted.field_gradient;
  const int width = (wanted.potential ? 1 : 0) + (field ? 3 : 0) + (wanted.field_gradient ? 6 : 0);
  const std::size_t size = count * width;
  double* const expansion = thread_scratch(size);
  std::fill(expansion, expansion + size, 0.0);
  const double s = frame.side;
  double* value[max_values];
  int k = 0;
  if (wanted.potential) {
    for (int c = 0; c < own; ++c) expansion[c * width] = coefficient[c] / s;
    value[k++] = values.potential;
  }
  if (field) {
    const int first = k;
    for (std::size_t a = 0; a < 3; ++a) {
      for (const Derivatives::Term& term : derivatives[0].axis[a])
        expansion[term.to * width + k] -= term.weight * coefficient[term.of] / (s * s);
      value[k++] = values.field[a];
    }
    if (wanted.field_gradient) {
      constexpr std::array<std::array<int, 2>, 6> axes{{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};
      for (std::size_t g = 0; g < 6; ++g) {
        for (const Derivatives::Term& term : derivatives[1].axis[axes[g][1]])
          expansion[term.to * width + k] += term.weight / s * expansion[term.of * width + first + axes[g][0]];
        value[k++] = values.field_gradient[g];
      }
    }
  }
  fmm::add_values(kind, use, frame, points, width, expansion, value);
}

}  // namespace pithball::sim::fmm
