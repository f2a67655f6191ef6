#include "sim/coulomb/fmm/field_sample.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim::fmm {
namespace {

constexpr direct::Kernel both_kernel = direct::Kernel::ChargeBoth;
constexpr Index record = direct::shape_of(both_kernel).record;
constexpr int values = direct::shape_of(both_kernel).sums;

constexpr double pairs_alone = 10;  // what a pair costs outside the kernels

}  // namespace

FieldSample::FieldSample(const FmmStructure& structure, const direct::Channels& x, const double* charge,
                         std::vector<Index> points)
    : tree_(structure.tree()),
      points_(std::move(points)),
      x_(3, direct::padded_size(points_.size())),
      softening2_(structure.accuracy().softening * structure.accuracy().softening) {
  const Index n = tree_.order().size(), m = points_.size();
  std::size_t leaf = 0;
  for (Index s = 0; s < x_.padded(); ++s) {
    const Index k = points_[std::min(s, m - 1)];
    for (int a = 0; a < 3; ++a) x_[a][s] = x[a][tree_.place()[k]];
    if (s >= m) continue;
    while (tree_.box(tree_.leaves()[leaf]).end <= k) ++leaf;
    leaf_.push_back(leaf);
  }
  records_.reserve(n * record);
  target_.reserve(n);
  before_.reserve(n + 1);
  for (Index k = 0, s = 0; k < n; ++k) {
    const Index at = tree_.place()[k];
    while (s < m && points_[s] < k) ++s;
    before_.push_back(target_.size());
    if (charge[at] == 0) continue;
    for (int a = 0; a < 3; ++a) records_.push_back(x[a][at]);
    records_.push_back(charge[at]);
    // Between the numbers of two points: none of them.
    target_.push_back(s < m && points_[s] == k ? s : s - 0.5);
  }
  before_.push_back(target_.size());
}

FieldSample::Values FieldSample::whole() const {
  direct::Channels sums(values, x_.padded());
  sums.set_zero();
  direct::Job job;
  for (int a = 0; a < 3; ++a) job.target[a] = x_[a];
  for (int a = 0; a < values; ++a) job.sum[a] = sums[a];
  job.softening2 = softening2_;
  job.source = records_.data();
  job.source_index = target_.data();
  job.sources = target_.size();
  parallel_for(x_.padded() / direct::group, x_.padded() * job.sources,
               [&](Index g) { direct::run(both_kernel, job, g * direct::group, (g + 1) * direct::group); });
  Values whole_values(values, size());
  for (Index s = 0; s < size(); ++s)
    for (int a = 0; a < values; ++a) whole_values(a, s) = sums[a][s];
  return whole_values;
}

FieldSample::Values FieldSample::near() const {
  Values near_values = Values::Zero(values, size());
  double pairs = 0;
  for (const std::size_t leaf : leaf_)
    for (const int box : tree_.near(leaf)) pairs += pairs_alone * tree_.box(box).size();
  parallel_for(size(), pairs, [&](Index s) {
    for (const int box : tree_.near(leaf_[s])) add_box(box, s, near_values.col(s).data());
  });
  return near_values;
}

/// One point does not fill the vectors of the kernels.
void FieldSample::add_box(int box, Index s, double* sum) const {
  const double x = x_[0][s], y = x_[1][s], z = x_[2][s];
  double ex = 0, ey = 0, ez = 0, phi = 0;
  for (Index j = before_[tree_.box(box).begin]; j < before_[tree_.box(box).end]; ++j) {
    if (target_[j] == s) continue;
    const double* const source = records_.data() + j * record;
    const double rx = x - source[0], ry = y - source[1], rz = z - source[2];
    const double inverse = 1 / std::sqrt(rx * rx + ry * ry + rz * rz + softening2_);
    const double potential = source[3] * inverse, factor = potential * inverse * inverse;
    ex += factor * rx;
    ey += factor * ry;
    ez += factor * rz;
    phi += potential;
  }
  sum[0] += ex, sum[1] += ey, sum[2] += ez, sum[3] += phi;
}

}  // namespace pithball::sim::fmm
