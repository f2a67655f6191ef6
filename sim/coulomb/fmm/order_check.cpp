#include "sim/coulomb/fmm/order_check.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"
#include "sim/coulomb/reference_sum.hpp"

namespace pithball::sim::fmm {

/// Field and potential of charges at sample points of a tree, summed directly and without k_c, as a reference for
/// expansions.
class FieldSample {
 public:
  /// x, charge: positions [m] (three channels) and charges of all points, by place; `points`: the sample points,
  /// ascending, as indices in tree order.
  FieldSample(const FmmStructure& structure, const direct::Channels& x, const double* charge,
              std::vector<Index> points);

  Index size() const { return points_.size(); }                     ///< number of sample points
  Index place(Index s) const { return tree_.place()[points_[s]]; }  ///< of point s, 0 ≤ s < size()
  int leaf(Index s) const { return tree_.leaves()[leaf_[s]]; }      ///< index of the box that contains point s
  /// Three components of the field and the potential; one column per point.
  using Values = Eigen::Matrix<double, 4, Eigen::Dynamic>;
  Values whole() const;  ///< due to all charges
  Values near() const;   ///< due to the charges in near boxes

 private:
  void add_box(int box, Index s, double* sum) const;

  const Octree& tree_;
  std::vector<Index> points_;
  std::vector<std::size_t> leaf_;
  direct::Channels x_;           // of the sample points, padded with the last one
  std::vector<double> records_,  // of all sources, in tree order
      target_;                   // index of each source among the sample points, compared by the kernels
  std::vector<Index> before_;    // number of sources before each point of the tree, and the total
  double softening2_;
};

namespace {

constexpr direct::Kernel both_kernel = direct::Kernel::ChargeBoth;
constexpr Index record = direct::shape_of(both_kernel).record;
constexpr int values = direct::shape_of(both_kernel).sums;

constexpr double pairs_alone = 10;  // cost of a pair outside the kernels

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
    // A half-integer lies between two indices and matches no point.
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

/// Computes pairs without the kernels, because one point does not fill their vectors.
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

namespace {

/// Sample points per group.
constexpr Index few = 32;

/// Returns a^n for n ≥ 0.
double power(double a, int n) {
  double result = 1;
  for (; n > 0; n /= 2, a *= a)
    if (n % 2) result *= a;
  return result;
}

/// Returns Σ L_nm² over the last two degrees of an expansion (the last one alone may vanish in symmetric boxes).
double last_degrees(const double* coefficient, int order) {
  double sum = 0;
  for (int c = coefficients(std::max(order - 2, 0)); c < coefficients(order); ++c)
    sum += coefficient[c] * coefficient[c];
  return sum;
}

/// Returns the expected squared error of local expansions at all points in tree order, in an arbitrary unit. The
/// missing degrees are estimated by the last ones, (|L_p| |u|^(p−1)/s²)² in a box of side s, which are similar in size
/// and distribution; they are summed over the leaf and the boxes above it.
std::vector<double> expected_errors(const FmmStructure& structure, const direct::Channels& x,
                                    const Expansions& expansions) {
  const Octree& tree = structure.tree();
  const int order = structure.operators().order();
  std::vector<double> errors(tree.order().size());
  constexpr double pairs_per_point = 20;
  parallel_for(tree.leaves().size(), pairs_per_point * errors.size(), [&](Index leaf) {
    const Box& own = tree.box(tree.leaves()[leaf]);
    for (int b = tree.leaves()[leaf]; b >= 0 && tree.box(b).level >= Octree::first_far_level; b = tree.box(b).parent) {
      const Vec3 center = tree.center(tree.box(b));
      const double cx = center[0], cy = center[1], cz = center[2], side = tree.side(tree.box(b));
      const double size = std::ldexp(1.0, 4 * tree.box(b).level) *
                          last_degrees(expansions.locals[0] + structure.operators().stride() * b, order);
      for (Index k = own.begin; k < own.end; ++k) {
        const Index at = own.place_begin + k - own.begin;
        const double dx = x[0][at] - cx, dy = x[1][at] - cy, dz = x[2][at] - cz;
        errors[k] += size * power((dx * dx + dy * dy + dz * dz) / (side * side), order - 1);
      }
    }
  });
  return errors;
}

/// A sample point.
struct Chosen {
  Index number;   // in tree order
  bool charged;   // its group
  double weight;  // number of points of its group that it represents
};

/// Chooses half of the sample of a group evenly and half where errors are large, because a few points of a lattice, at
/// corners of boxes, may have nearly all of the error. A point's weight is the inverse of its chance to be chosen.
void choose(const std::vector<Index>& group, bool charged, const std::vector<double>& errors,
            std::vector<Chosen>& chosen) {
  const double n = group.size();
  double all = 0;
  for (const Index k : group) all += errors[k];
  const std::vector<double> places = spread_places(few);
  auto place = places.begin();
  const double even = (all > 0 ? 0.5 : 1) / n, share = all > 0 ? 0.5 / all : 0;
  double before = 0;
  for (const Index k : group) {
    const double chance = even + share * errors[k];
    before += chance;
    double times = 0;
    for (; place != places.end() && *place < before; ++place) ++times;
    if (n <= few)
      chosen.push_back({k, charged, 1});
    else if (times > 0)
      chosen.push_back({k, charged, times / (few * chance)});
  }
}

}  // namespace

void SquareSums::add(bool charged, const Eigen::Vector4d& value, double weight) {
  field[charged] += weight * value.head<3>().squaredNorm();
  potential[charged] += weight * value[3] * value[3];
}

double relative_error(const SquareSums& errors, const SquareSums& sums) {
  double largest = 0;
  for (std::size_t g = 0; g < 2; ++g) {
    if (errors.field[g] > 0) largest = std::max(largest, errors.field[g] / sums.field[g]);
    if (errors.potential[g] > 0) largest = std::max(largest, errors.potential[g] / sums.potential[g]);
  }
  return std::sqrt(largest);
}

SampledSums sample_sums(const FmmStructure& structure, const FarField& far, const PlacedCharges& charges,
                        const Expansions& expansions) {
  const Octree& tree = structure.tree();
  const double* const charge = charges.charge[0];
  std::array<std::vector<Index>, 2> groups;
  for (std::size_t k = 0; k < tree.order().size(); ++k) groups[charge[tree.place()[k]] != 0].push_back(k);
  const std::vector<double> expected = expected_errors(structure, charges.x, expansions);
  std::vector<Chosen> chosen;
  for (std::size_t g = 0; g < 2; ++g) choose(groups[g], g == 1, expected, chosen);
  std::ranges::sort(chosen, {}, &Chosen::number);
  std::vector<Index> numbers;
  for (const Chosen& point : chosen) numbers.push_back(point.number);

  const FieldSample sample(structure, charges.x, charge, numbers);
  const auto whole = sample.whole(), near = sample.near();
  SampledSums result;
  for (Index s = 0; s < sample.size(); ++s) {
    const auto& [number, charged, weight] = chosen[s];
    const Eigen::Vector4d sum = near.col(s) + far.values_at(expansions, sample.leaf(s), sample.place(s));
    result.sums.add(charged, whole.col(s), weight);
    result.errors.add(charged, sum - whole.col(s), weight);
  }
  return result;
}

}  // namespace pithball::sim::fmm
