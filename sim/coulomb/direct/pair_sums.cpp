#include "sim/coulomb/direct/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "sim/core/stop.hpp"
#include "sim/coulomb/direct/symmetric_kernel.hpp"

namespace pithball::sim::direct {
namespace {

/// Whether the source at a place acts on others.
bool acts(Kernel kernel, const Channels& points, Index place) {
  const auto any = [&](int first, int last) {
    for (int a = first; a <= last; ++a)
      if (points[a][place] != 0) return true;
    return false;
  };
  switch (kernel) {
    case Kernel::ChargeField:
    case Kernel::ChargePotential:
    case Kernel::ChargeBoth:
    case Kernel::ChargeFieldGradient:
      return any(0, 0);
    case Kernel::DipoleField:
    case Kernel::DipolePotential:
    case Kernel::DipoleBoth:
    case Kernel::DipoleFieldGradient:
      return any(0, 2);
    case Kernel::Jvp:
      return any(3, 4);
    case Kernel::Vjp:
      return any(3, 3);
  }
  return true;
}

}  // namespace

double PairPattern::pairs() const {
  double sum = 0;
  for (const Block& block : blocks)
    for (Index r = block.first; r < block.last; ++r) {
      const Range& range = ranges[r];
      sum += static_cast<double>(block.end - block.begin) * static_cast<double>(range.end - range.begin);
    }
  return sum;
}

PairSums::PairSums(const Points& x, std::shared_ptr<const PairPattern> pattern, double softening)
    : pattern_(std::move(pattern)), softening2_(softening * softening), x_(3, pattern_->places) {
  scatter(x_, 0, 3, [&](Index i, int a) { return x(a, i); });
  const Index n = pattern_->points();
  const auto fill_gap = [&](Index k) {
    const Index place = pattern_->place[k], next = k + 1 < n ? pattern_->place[k + 1] : pattern_->places;
    for (Index gap = place + 1; gap < next; ++gap)
      for (int a = 0; a < 3; ++a) x_[a][gap] = x_[a][place];
  };
  parallel_for(n, n, fill_gap, copied_at_once);
}

void PairSums::evaluate(const CoulombSources& sources, const CoulombResult& result) const {
  if (sources.charge) {
    Channels points(1, pattern_->places);
    scatter(points, 0, 1, [&](Index i, int) { return (*sources.charge)[i]; });
    add(result, {Kernel::ChargeField, Kernel::ChargePotential, Kernel::ChargeBoth, Kernel::ChargeFieldGradient},
        points);
  }
  if (sources.dipole) {
    Channels points(3, pattern_->places);
    scatter(points, 0, 3, [&](Index i, int a) { return (*sources.dipole)(a, i); });
    add(result, {Kernel::DipoleField, Kernel::DipolePotential, Kernel::DipoleBoth, Kernel::DipoleFieldGradient},
        points);
  }
}

/// Adds the requested results. Gradients and field are computed in one pass; the potential then takes a second one.
void PairSums::add(const CoulombResult& result, const Kernels& kernels, const Channels& points) const {
  const bool gradient = result.field_gradient, field = result.field && !gradient, potential = result.potential;
  if (gradient) {
    const Channels sums = run(kernels.gradient, points);
    gather([&](Index i, Index at) {
      for (int k = 0; k < 6; ++k) (*result.field_gradient)(k, i) += coulomb_constant * sums[3 + k][at];
    });
    if (result.field) add_vectors(sums, *result.field);
  }
  if (!field && !potential) return;
  const Channels sums = run(!potential ? kernels.field : field ? kernels.both : kernels.potential, points);
  if (field) add_vectors(sums, *result.field);
  if (potential) add_numbers(sums, field ? 3 : 0, *result.potential);
}

void PairSums::force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const {
  Channels points(5, pattern_->places);
  scatter(points, 0, 3, [&](Index i, int a) { return dx(a, i); });
  scatter(points, 3, 1, [&](Index i, int) { return charge[i]; });
  scatter(points, 4, 1, [&](Index i, int) { return dcharge[i]; });
  add_vectors(run(Kernel::Jvp, points), df);
}

void PairSums::force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const {
  Channels points(4, pattern_->places);
  scatter(points, 0, 3, [&](Index i, int a) { return w(a, i); });
  scatter(points, 3, 1, [&](Index i, int) { return charge[i]; });
  const Channels sums = run(Kernel::Vjp, points);
  gather([&](Index i, Index at) {
    dx.col(i) += coulomb_constant * charge[i] * Vec3(sums[0][at], sums[1][at], sums[2][at]);
  });
  add_numbers(sums, 3, dcharge);
}

void PairSums::add_vectors(const Channels& sums, Points& out) const {
  gather([&](Index i, Index at) { out.col(i) += coulomb_constant * Vec3(sums[0][at], sums[1][at], sums[2][at]); });
}

void PairSums::add_numbers(const Channels& sums, int k, Vector& out) const {
  gather([&](Index i, Index at) { out[i] += coulomb_constant * sums[k][at]; });
}

struct PairSums::Sources {
  std::unique_ptr<double[]> records;  // `Shape::record` numbers per source
  std::unique_ptr<double[]> place;    // of each source, compared with targets by the kernels
  std::unique_ptr<Index[]> before;    // number of sources before each point, and the total
};

PairSums::Sources PairSums::gather_sources(Kernel kernel, const Channels& points) const {
  const Index n = pattern_->points(), record = shape_of(kernel).record;
  const Index blocks = (n + copied_at_once - 1) / copied_at_once;
  const auto for_block = [&](Index b, auto take) {
    for (Index k = b * copied_at_once; k < std::min(n, (b + 1) * copied_at_once); ++k) take(k, pattern_->place[k]);
  };
  std::vector<Index> first(blocks + 1, 0);  // number of sources before each block
  if (blocks > 1)
    parallel_for(blocks, n, [&](Index b) {
      for_block(b, [&](Index, Index place) { first[b + 1] += acts(kernel, points, place); });
    });
  std::partial_sum(first.begin(), first.end(), first.begin());

  Sources made{std::make_unique_for_overwrite<double[]>(n * record), std::make_unique_for_overwrite<double[]>(n),
               std::make_unique_for_overwrite<Index[]>(n + 1)};
  made.before[n] = 0;  // for n = 0
  parallel_for(blocks, pairs_per_copy * n, [&](Index b) {
    Index source = first[b];
    for_block(b, [&](Index k, Index place) {
      made.before[k] = source;
      if (!acts(kernel, points, place)) return;
      double* s = made.records.get() + source * record;
      for (int a = 0; a < 3; ++a) s[a] = x_[a][place];
      for (int a = 3; a < record; ++a) s[a] = points[a - 3][place];
      made.place[source++] = static_cast<double>(place);
    });
    if (b == blocks - 1) made.before[n] = source;
  });
  return made;
}

double PairSums::apart_from(const double* coordinate, Index begin, Index end) {
  const auto [low, high] = std::minmax_element(coordinate + begin, coordinate + end);
  const double away = (*high - *low) + std::abs(*high);
  return *high + (away > 0 ? away : 1);  // if all points are at 0, any other position is apart from them
}

Job PairSums::job_of(const Channels& points, Channels& sums) const {
  Job job;
  for (int a = 0; a < 3; ++a) job.target[a] = x_[a];
  for (int a = 0; a < points.size(); ++a) job.target[3 + a] = points[a];
  for (int k = 0; k < sums.size(); ++k) job.sum[k] = sums[k];
  job.softening2 = softening2_;
  return job;
}

/// Adds the contributions of the sources in a range of points to a block.
void PairSums::add_range(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Block& block,
                         PairPattern::Range range) const {
  if (range.begin >= range.end) return;
  const Index first = sources.before[range.begin], last = sources.before[range.end];
  job.source = sources.records.get() + first * shape_of(kernel).record;
  job.source_index = sources.place.get() + first;
  job.sources = last - first;
  if (job.sources > 0) direct::run(kernel, job, block.begin, block.end);
}

/// Sets the sums of a block to the contributions of its sources.
void PairSums::sum_block(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Block& block) const {
  for (int k = 0; k < shape_of(kernel).sums; ++k) std::fill(job.sum[k] + block.begin, job.sum[k] + block.end, 0.0);
  for (Index r = block.first; r < block.last; ++r) add_range(kernel, job, sources, block, pattern_->ranges[r]);
}

Channels PairSums::run(Kernel kernel, const Channels& points) const {
  const Sources sources = gather_sources(kernel, points);
  Channels sums(shape_of(kernel).sums, pattern_->places);
  const Job job_of_all = job_of(points, sums);
  if (pattern_->chunks.empty() || !has_symmetric(kernel)) {
    parallel_for(pattern_->blocks.size(), pattern_->pairs(), [&](Index b) {
      Job job = job_of_all;
      sum_block(kernel, job, sources, pattern_->blocks[b]);
    });
    return sums;
  }
  Channels x(3, pattern_->places);
  parallel_in_order(pattern_->chunks.size(), pattern_->pairs(), [&](Index c) {
    require_not_stopped();
    const PairPattern::Chunk& chunk = pattern_->chunks[c];
    const auto [begin, end] = chunk.points;
    Job job = job_of_all;
    if (end > begin && sources.before[end] - sources.before[begin] == end - begin) {
      sum_inside(kernel, job, chunk, x);
      add_outside(kernel, job, sources, chunk);
    } else {
      for (Index b = chunk.first; b < chunk.last; ++b) sum_block(kernel, job, sources, pattern_->blocks[b]);
    }
  });
  return sums;
}

/// Sets the sums of a chunk to the contributions of pairs within it, each evaluated once. `x` receives the positions of
/// the chunk, with padding apart from its points.
void PairSums::sum_inside(Kernel kernel, const Job& job, const PairPattern::Chunk& chunk, Channels& x) const {
  const Index begin = pattern_->blocks[chunk.first].begin, end = pattern_->blocks[chunk.last - 1].end;
  const auto place = [&](Index point) { return pattern_->place[point]; };
  SymmetricJob<double> pairs;
  std::copy(std::begin(job.target), std::end(job.target), pairs.point);
  std::copy(std::begin(job.sum), std::end(job.sum), pairs.sum);
  pairs.softening2 = job.softening2;
  for (int k = 0; k < shape_of(kernel).sums; ++k) std::fill(pairs.sum[k] + begin, pairs.sum[k] + end, 0.0);
  for (int a = 0; a < 3; ++a) {
    std::fill(x[a] + begin, x[a] + end, apart_from(x_[a], begin, end));
    for (Index k = chunk.points.begin; k < chunk.points.end; ++k) x[a][place(k)] = x_[a][place(k)];
    pairs.point[a] = x[a];
  }

  Index last = chunk.points.begin;  // one past the points of the block
  for (Index b = chunk.first; b < chunk.last; ++b) {
    const PairPattern::Block& block = pattern_->blocks[b];
    while (last < chunk.points.end && place(last) < block.end) ++last;
    for (Index at = block.begin, behind; at < block.end; at = behind) {
      behind = std::min(at + max_block, block.end);
      const Block part{at, std::min(behind, place(last - 1) + 1)};
      const auto add_later = [&](Index from, Index to) {
        for (; from < to; from += max_block) run_symmetric(kernel, pairs, part, {from, std::min(from + max_block, to)});
      };
      run_symmetric(kernel, pairs, part, part);
      add_later(behind, block.end);
      for (Index r = block.first; r < block.last; ++r) {
        const Index from = std::max(pattern_->ranges[r].begin, last),
                    to = std::min(pattern_->ranges[r].end, chunk.points.end);
        if (from < to) add_later(place(from), place(to - 1) + 1);
      }
    }
  }
}

/// Adds the contributions of sources outside the chunk to its points.
void PairSums::add_outside(Kernel kernel, Job& job, const Sources& sources, const PairPattern::Chunk& chunk) const {
  for (Index b = chunk.first; b < chunk.last; ++b) {
    const PairPattern::Block& block = pattern_->blocks[b];
    for (Index r = block.first; r < block.last; ++r) {
      const PairPattern::Range& range = pattern_->ranges[r];
      add_range(kernel, job, sources, block, {range.begin, std::min(range.end, chunk.points.begin)});
      add_range(kernel, job, sources, block, {std::max(range.begin, chunk.points.end), range.end});
    }
  }
}

}  // namespace pithball::sim::direct
