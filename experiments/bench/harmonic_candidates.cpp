#include "experiments/bench/harmonic_candidates.hpp"

#include <hwy/aligned_allocator.h>

#include <set>

#include "sim/coulomb/fmm/operators.hpp"
#include "sim/coulomb/fmm/translation_kernel.hpp"

namespace pithball::experiments {

using sim::fmm::Batch;
using sim::fmm::coefficients;
using sim::fmm::Frame;
using sim::fmm::Harmonics;
using sim::fmm::Offset;
using sim::fmm::Translation;
using sim::fmm::Translations;

RotatedHarmonics::RotatedHarmonics(int order, DistantOrder distant)
    : points_(order), translations_(order, [=](int r2) {
        return distant == DistantOrder::Reduced ? sim::fmm::order_at_distance(order, r2) : order;
      }) {}

void RotatedHarmonics::add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const {
  for (std::size_t b = 0; b < boxes.size(); ++b)
    points_.add_moments(Harmonics::Regular, Frame{}, boxes[b], {.charge = charge}, coefficient[b]);
}

void RotatedHarmonics::add_field(const double* const* coefficient, const PointRanges& boxes,
                                 double* const* field) const {
  for (std::size_t b = 0; b < boxes.size(); ++b)
    points_.add_values(Harmonics::Regular, Frame{}, coefficient[b], {.field = true}, boxes[b],
                       {.field = {field[0], field[1], field[2]}});
}

void RotatedHarmonics::translate(const Offset& offset, int count, const double* const* from, double* const* to) const {
  thread_local hwy::AlignedFreeUniquePtr<double[]> scratch;
  thread_local int scratch_order = -1;
  if (scratch_order < order()) {
    scratch = hwy::AllocateAligned<double>(sim::fmm::translation_scratch(order()));
    scratch_order = order();
  }
  const Translation& t = translation(offset);
  Batch batch;
  for (int l = 0; l < count; ++l) {
    batch.add(from[l], to[l]);
    if (batch.full()) sim::fmm::translate(t, batch, scratch.get());
  }
  sim::fmm::translate(t, batch, scratch.get());
}

double RotatedHarmonics::matrix_bytes() const {
  std::set<const void*> counted;
  double numbers = 0;
  for (const Offset& offset : far_offsets()) {
    const Translation& t = translation(offset);
    for (int n = 0; n <= t.order; ++n) {
      if (!counted.count(t.rotation)) numbers += (n + 1) * (n + 1) + n * n;
      if (!counted.count(t.shift)) numbers += (n + 1) * (n + 1);
    }
    counted.insert({t.rotation, t.shift});
  }
  return sizeof(double) * numbers;
}

DenseHarmonics::DenseHarmonics(int order, DistantOrder distant) : rotated_(order, distant) {
  for (const Offset& offset : representatives()) {
    const int rows = coefficients(rotated_.translation(offset).order);
    const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(size(), rows);
    Eigen::MatrixXd moved = Eigen::MatrixXd::Zero(size(), rows);
    std::vector<const double*> from;
    std::vector<double*> to;
    for (int c = 0; c < rows; ++c) {
      from.push_back(unit.col(c).data());
      to.push_back(moved.col(c).data());
    }
    rotated_.translate(offset, rows, from.data(), to.data());
    matrices_.emplace(offset, PackedMatrix(moved.topRows(rows)));
  }
}

}  // namespace pithball::experiments
