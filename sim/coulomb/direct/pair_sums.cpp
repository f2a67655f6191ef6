#include "sim/coulomb/direct/pair_sums.hpp"

#include <algorithm>

namespace pithball::sim::direct {
namespace {

/// Whether a source with these numbers behind its position acts on others at all.
bool acts(Kernel kernel, const double* s) {
  switch (kernel) {
    case Kernel::ChargeField:
    case Kernel::ChargePotential:
    case Kernel::ChargeBoth:
    case Kernel::ChargeFieldGradient:
      return s[0] != 0;
    case Kernel::DipoleField:
    case Kernel::DipolePotential:
    case Kernel::DipoleBoth:
    case Kernel::DipoleFieldGradient:
      return s[0] != 0 || s[1] != 0 || s[2] != 0;
    case Kernel::Jvp:
      return s[3] != 0 || s[4] != 0;
    case Kernel::Vjp:
      return s[3] != 0;
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
  for (std::size_t k = 0; k < pattern_->place.size(); ++k) {
    const Index next = k + 1 < pattern_->place.size() ? pattern_->place[k + 1] : pattern_->places;
    for (Index gap = pattern_->place[k] + 1; gap < next; ++gap)
      for (int a = 0; a < 3; ++a) x_[a][gap] = x_[a][pattern_->place[k]];
  }
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

/// Adds what is asked for. Gradients come with the field; a potential beside them is a pass of its own.
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

Channels PairSums::run(Kernel kernel, const Channels& points) const {
  const Shape shape = shape_of(kernel);
  const std::size_t n = pattern_->points(), record = shape.record;
  std::vector<double> records(n * record), index(n);
  std::vector<Index> kept(n + 1);  // number of acting sources before each point
  std::size_t sources = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Index place = pattern_->place[k];
    double* s = records.data() + sources * record;
    for (int a = 0; a < 3; ++a) s[a] = x_[a][place];
    for (int a = 3; a < shape.record; ++a) s[a] = points[a - 3][place];
    kept[k] = sources;
    if (acts(kernel, s + 3)) index[sources++] = place;
  }
  kept[n] = sources;

  Channels sums(shape.sums, pattern_->places);
  parallel_for(pattern_->blocks.size(), pattern_->pairs(), [&](Index b) {
    const PairPattern::Block& block = pattern_->blocks[b];
    Job job;
    for (int a = 0; a < 3; ++a) job.target[a] = x_[a];
    for (int a = 0; a < points.size(); ++a) job.target[3 + a] = points[a];
    for (int k = 0; k < shape.sums; ++k) {
      job.sum[k] = sums[k];
      std::fill(sums[k] + block.begin, sums[k] + block.end, 0.0);
    }
    job.softening2 = softening2_;
    for (Index r = block.first; r < block.last; ++r) {
      const PairPattern::Range& range = pattern_->ranges[r];
      const Index first = kept[range.begin], last = kept[range.end];
      job.source = records.data() + first * shape.record;
      job.source_index = index.data() + first;
      job.sources = last - first;
      if (job.sources > 0) direct::run(kernel, job, block.begin, block.end);
    }
  });
  return sums;
}

}  // namespace pithball::sim::direct
