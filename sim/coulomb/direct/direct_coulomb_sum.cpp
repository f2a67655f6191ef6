#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <vector>

#include "sim/coulomb/direct/pair_sums.hpp"
#include "sim/coulomb/direct/symmetric_kernel.hpp"

namespace pithball::sim::direct {

/// Returns the pairs among n points that contain at least one of `some` (ascending, unique): as targets, each of these
/// with all other points, and each other point with these.
std::shared_ptr<const PairPattern> partial_pattern(Index n, const std::vector<Index>& some);

/// The sum over all pairs of points. Evaluates each pair once if all points are charged and there are enough of them
/// (the only method in single precision), otherwise from both sides; the choice never depends on the number of threads.
class DirectPlan final : public PairSums {
 public:
  /// x [m], 3×N; ε ≥ 0 [m].
  DirectPlan(const Points& x, double softening, Precision precision);

 protected:
  Channels run(Kernel kernel, const Channels& points) const override;

 private:
  bool pays_each_pair_once(Kernel kernel, const Channels& points) const;
  Channels run_each_pair_once(Kernel kernel, const Channels& points) const;
  Channels run_each_pair_once_in_single(Kernel kernel, const double* charge) const;

  Index n_;
  Precision precision_;
};

namespace {

/// Number of places that a thread processes per turn.
constexpr Index places_at_once = 64 * group;

/// Appends places for points begin ≤ k < end, in blocks that sum over the sources of one range.
void add_targets(PairPattern& pattern, Index begin, Index end, Index range) {
  const Index first = pattern.places;
  for (Index k = begin; k < end; ++k) pattern.place.push_back(first + k - begin);
  pattern.places = first + padded_size(end - begin);
  for (Index at = first; at < pattern.places; at += places_at_once)
    pattern.blocks.push_back({at, std::min(at + places_at_once, pattern.places), range, range + 1});
}

}  // namespace

std::shared_ptr<const PairPattern> partial_pattern(Index n, const std::vector<Index>& some) {
  auto pattern = std::make_shared<PairPattern>();
  std::vector<Index> all(n);
  std::iota(all.begin(), all.end(), Index{0});
  std::ranges::set_difference(all, some, std::back_inserter(pattern->particle));
  const Index others = pattern->particle.size();
  pattern->particle.insert(pattern->particle.end(), some.begin(), some.end());
  pattern->ranges = {{others, n}, {0, n}};
  add_targets(*pattern, 0, others, 0);
  add_targets(*pattern, others, n, 1);
  return pattern;
}

}  // namespace pithball::sim::direct

namespace pithball::sim {

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_plan(const Points& x, std::shared_ptr<const Structure>) const {
  return std::make_unique<direct::DirectPlan>(x, softening_, precision_);
}

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_partial_plan(const Points& x,
                                                                      const std::vector<Index>& some) const {
  // A partial sum evaluates each pair from both sides: 2 N evaluations for each of `some`. The full sum evaluates N²/2
  // pairs, each in 1.5 times the time.
  if (4 * static_cast<Index>(some.size()) > x.cols()) return nullptr;
  return std::make_unique<direct::PairSums>(x, direct::partial_pattern(x.cols(), some), softening_);
}

}  // namespace pithball::sim

namespace pithball::sim::direct {
namespace {

double all_pairs(Index n) { return static_cast<double>(n) * static_cast<double>(n); }

/// Returns a pattern of all points in the given order, in enough blocks to keep the threads busy.
std::shared_ptr<const PairPattern> whole_pattern(Index n) {
  auto pattern = std::make_shared<PairPattern>();
  pattern->places = padded_size(n);
  pattern->particle.resize(n);
  std::iota(pattern->particle.begin(), pattern->particle.end(), Index{0});
  pattern->place = pattern->particle;
  pattern->ranges = {{0, n}};
  // Several blocks per thread, so that one thread that starts late or is delayed by other programs does not delay all.
  const Index groups = pattern->places / group, threads = threads_for(all_pairs(n));
  const Index blocks = std::min(groups, threads > 1 ? 8 * threads : 1);
  for (Index b = 0; b < blocks; ++b)
    pattern->blocks.push_back({groups * b / blocks * group, groups * (b + 1) / blocks * group, 0, 1});
  return pattern;
}

}  // namespace

DirectPlan::DirectPlan(const Points& x, double softening, Precision precision)
    : PairSums(x, whole_pattern(x.cols()), softening), n_(x.cols()), precision_(precision) {}

Channels DirectPlan::run(Kernel kernel, const Channels& points) const {
  if (!pays_each_pair_once(kernel, points)) return PairSums::run(kernel, points);
  const bool single = precision_ == Precision::Single && has_symmetric(kernel, true);
  return single ? run_each_pair_once_in_single(kernel, points[0]) : run_each_pair_once(kernel, points);
}

bool DirectPlan::pays_each_pair_once(Kernel kernel, const Channels& points) const {
  if (n_ < symmetric_from() || !has_symmetric(kernel)) return false;
  const double* const charge = points[kernel == Kernel::Jvp || kernel == Kernel::Vjp ? 3 : 0];
  return std::all_of(charge, charge + n_, [](double q) { return q != 0; });
}

Channels DirectPlan::run_each_pair_once(Kernel kernel, const Channels& points) const {
  // The padding must not coincide with any point.
  Channels x(3, points.padded());
  for (int a = 0; a < 3; ++a) {
    const double* const at = positions()[a];
    std::fill(std::copy(at, at + n_, x[a]), x[a] + x.padded(), apart_from(at, 0, n_));
  }
  Channels sums(shape_of(kernel).sums, x.padded());
  sums.set_zero();
  SymmetricJob<double> job;
  for (int a = 0; a < 3; ++a) job.point[a] = x[a];
  for (int a = 0; a < points.size(); ++a) job.point[3 + a] = points[a];
  for (int k = 0; k < sums.size(); ++k) job.sum[k] = sums[k];
  job.softening2 = softening2();
  run_symmetric(kernel, job, n_);
  return sums;
}

/// Sums in single precision; positions are relative to the center of all points, in units of their extent, and charges
/// are in units of the largest.
Channels DirectPlan::run_each_pair_once_in_single(Kernel kernel, const double* charge) const {
  ChannelsOf<float> points(7, (n_ + 2 * group - 1) / (2 * group) * (2 * group));
  double middle[3], extent = 0;
  for (int a = 0; a < 3; ++a) {
    const auto [low, high] = std::minmax_element(positions()[a], positions()[a] + n_);
    middle[a] = 0.5 * (*low + *high);
    extent = std::max(extent, *high - *low);
  }
  const double length = extent > 0 ? extent : 1,
               largest = std::abs(*std::max_element(charge, charge + n_,
                                                    [](double a, double b) { return std::abs(a) < std::abs(b); }));
  for (int a = 0; a < 3; ++a) {
    for (Index i = 0; i < n_; ++i) {
      const double x = (positions()[a][i] - middle[a]) / length;
      points[a][i] = static_cast<float>(x);
      points[3 + a][i] = static_cast<float>(x - static_cast<double>(points[a][i]));
    }
    std::fill(points[a] + n_, points[a] + points.padded(), 2.0f);  // coordinates are at most ½
    std::fill(points[3 + a] + n_, points[3 + a] + points.padded(), 0.0f);
  }
  for (Index i = 0; i < n_; ++i) points[6][i] = static_cast<float>(charge[i] / largest);
  std::fill(points[6] + n_, points[6] + points.padded(), 0.0f);

  Channels sums(shape_of(kernel).sums, padded_size(n_));
  sums.set_zero();
  SymmetricJob<float> job;
  for (int a = 0; a < points.size(); ++a) job.point[a] = points[a];
  for (int k = 0; k < sums.size(); ++k) job.sum[k] = sums[k];
  job.softening2 = softening2() / (length * length);
  run_symmetric(kernel, job, n_);
  for (int k = 0; k < sums.size(); ++k) {
    const bool potential = kernel != Kernel::ChargeField && k == sums.size() - 1;
    const double unit = potential ? largest / length : largest / (length * length);
    for (Index i = 0; i < n_; ++i) sums[k][i] *= unit;
  }
  return sums;
}

}  // namespace pithball::sim::direct
