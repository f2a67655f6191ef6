#include "sim/coulomb/fmm/expansion.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim::fmm {
namespace {

/// Returns memory of the calling thread that grows to the requested size.
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
  // The field is an intermediate result of its gradient.
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

namespace {

/// At 2.5 radii, higher degrees contribute at most 1e-15 of the field of charges that all have the same sign.
constexpr int outer_order = 40;
/// Relative truncation error of the field that is acceptable: below any tolerance that can be requested.
constexpr double negligible = 1e-12;

/// Returns 3×N points as channels. The padding repeats the last point, so that its harmonics are finite.
direct::Channels padded_channels(const Points& x) {
  direct::Channels channels(3, direct::padded_size(x.cols()));
  direct::fill(channels, 0, x);
  for (int a = 0; a < 3; ++a) std::fill(channels[a] + x.cols(), channels[a] + channels.padded(), x(a, x.cols() - 1));
  return channels;
}

/// A sum compensated for the rounding of its additions (Neumaier, ZAMM 54 (1974) 39).
class ExactSum {
 public:
  void add(long double term) {
    const long double next = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  double value() const { return static_cast<double>(sum_ + lost_); }

 private:
  long double sum_ = 0, lost_ = 0;
};

}  // namespace

OuterExpansion::OuterExpansion(const Points& x, const Vector& charge, double softening)
    : points_(outer_order),
      multipoles_(1, direct::padded_size(coefficients(outer_order))),
      total_(charge.cwiseAbs().sum()),
      softening_(softening) {
  frame_.center = (x.rowwise().minCoeff() + x.rowwise().maxCoeff()) / 2;
  frame_.side = std::sqrt((x.colwise() - frame_.center).colwise().squaredNorm().maxCoeff());
  multipoles_.set_zero();
  if (!(frame_.side > 0)) return;
  const direct::Channels places = padded_channels(x);
  direct::Channels weights(1, places.padded());
  direct::fill(weights, 0, charge);
  points_.add_moments(Harmonics::Regular, frame_, {{places[0], places[1], places[2]}, 0, places.padded()},
                      {.charge = weights[0]}, multipoles_[0]);
  // The lowest moments dominate far away but nearly cancel for a neutral or quadrupolar body, so their sums are exact.
  ExactSum total;
  std::array<ExactSum, 3> dipole;
  for (Index i = 0; i < x.cols(); ++i) {
    const long double q = charge[i];
    total.add(q);
    for (int a = 0; a < 3; ++a)
      dipole[a].add(q * (static_cast<long double>(x(a, i)) - static_cast<long double>(frame_.center[a])));
  }
  multipoles_[0][cosine(0, 0)] = total.value();
  multipoles_[0][cosine(1, 1)] = dipole[0].value() / frame_.side;
  multipoles_[0][sine(1, 1)] = dipole[1].value() / frame_.side;
  multipoles_[0][cosine(1, 0)] = dipole[2].value() / frame_.side;
}

/// Returns a bound on the truncation error of the field at distance r from the center of the expansion, without k_c;
/// infinity inside.
double OuterExpansion::left_out(double r) const {
  const double t = frame_.side / r;
  if (!(t < 1)) return std::numeric_limits<double>::infinity();
  return std::numbers::sqrt2 * total_ / (r * r) * (outer_order + 2) * std::pow(t, outer_order + 1) /
         ((1 - t) * (1 - t));
}

std::vector<Index> OuterExpansion::add(const Points& at, Points& field, Vector& potential) const {
  std::vector<Index> rest, outside;
  for (Index k = 0; k < at.cols(); ++k) {
    // Softening changes the field of degree n by a fraction of about n² (ε/r)²; the lowest degrees dominate far away.
    const double r = (at.col(k) - frame_.center).norm(), softened = softening_ / r;
    const bool far = left_out(r) <= negligible * total_ / (r * r) && 10 * softened * softened <= negligible;
    (far && frame_.side > 0 ? outside : rest).push_back(k);
  }
  if (outside.empty()) return rest;
  const direct::Channels places = padded_channels(at(Eigen::all, outside));
  direct::Channels sums(4, places.padded());
  sums.set_zero();
  const Values values{.potential = sums[3], .field = {sums[0], sums[1], sums[2]}};
  constexpr Index block = 64 * direct::group;  // points that a thread processes per turn
  const double pairs = Operators::costs_of(outer_order).point * places.padded();
  parallel_for((places.padded() + block - 1) / block, pairs, [&](Index b) {
    points_.add_values(Harmonics::Irregular, frame_, multipoles_[0], {.potential = true, .field = true},
                       {{places[0], places[1], places[2]}, b * block, std::min((b + 1) * block, places.padded())},
                       values);
  });
  for (std::size_t s = 0; s < outside.size(); ++s) {
    const Index k = outside[s];
    const Vec3 e(sums[0][s], sums[1][s], sums[2][s]);
    if (left_out((at.col(k) - frame_.center).norm()) <= negligible * e.norm()) {
      field.col(k) += coulomb_constant * e;
      potential[k] += coulomb_constant * sums[3][s];
    } else {
      rest.push_back(k);
    }
  }
  std::sort(rest.begin(), rest.end());
  return rest;
}

}  // namespace pithball::sim::fmm
