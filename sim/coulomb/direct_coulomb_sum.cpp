#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/direct_kernel.hpp"

namespace pithball::sim {
namespace {

/// `channels` arrays of `padded` numbers each, every one aligned for vector loads; not initialised.
class Channels {
 public:
  Channels(int channels, Index padded)
      : channels_(channels),
        padded_(padded),
        data_(static_cast<double*>(std::aligned_alloc(alignment, bytes(channels, padded)))) {
    if (!data_) throw std::bad_alloc();
  }
  int size() const { return channels_; }
  double* operator[](int k) { return data_.get() + k * padded_; }
  const double* operator[](int k) const { return data_.get() + k * padded_; }

 private:
  static constexpr std::size_t alignment = sizeof(double) * direct::group;
  static std::size_t bytes(int channels, Index padded) {
    return std::max(alignment, sizeof(double) * static_cast<std::size_t>(channels) * static_cast<std::size_t>(padded));
  }
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  int channels_;
  Index padded_;
  std::unique_ptr<double, Free> data_;
};

/// Columns of a 3×N array as three channels; the padding becomes 0.
void fill(Channels& channels, int first, const Points& points, Index padded) {
  for (int a = 0; a < 3; ++a) {
    double* out = channels[first + a];
    for (Index i = 0; i < points.cols(); ++i) out[i] = points(a, i);
    std::fill(out + points.cols(), out + padded, 0.0);
  }
}

void fill(Channels& channels, int k, const Vector& values, Index padded) {
  std::copy(values.data(), values.data() + values.size(), channels[k]);
  std::fill(channels[k] + values.size(), channels[k] + padded, 0.0);
}

/// One call for each part of 0…padded, in parallel where it pays. A parallel region costs a few microseconds, and
/// milliseconds when other programs hold the second core; below some 300 points (10 µs of work) one thread is the
/// better bargain.
template <class Work>
void for_target_parts(Index padded, Index sources, Work work) {
  constexpr Index pairs_per_thread = 50000;
  const Index groups = padded / direct::group;
  if (groups == 0) return;
  const auto threads = static_cast<int>(
      std::clamp<Index>(padded * sources / pairs_per_thread, 1, std::min<Index>(groups, omp_get_max_threads())));
  if (threads <= 1) return work(0, padded);
  // Long sums are cut finer, so that a thread that is held up by other programs does not hold up all.
  const Index parts = std::min(groups, padded >= 2000 ? Index{8} * threads : Index{threads});
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index part = 0; part < parts; ++part)
    work(groups * part / parts * direct::group, groups * (part + 1) / parts * direct::group);
}

class DirectPlan final : public CoulombSum::Plan {
 public:
  DirectPlan(const Points& x, double softening)
      : n_(x.cols()),
        padded_((n_ + direct::group - 1) / direct::group * direct::group),
        softening2_(softening * softening),
        x_(3, padded_) {
    fill(x_, 0, x, padded_);
  }

  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override {
    using direct::Kernel;
    if (!result.field && !result.potential) return;
    const auto kernel = [&](Kernel field, Kernel potential, Kernel both) {
      return result.field && result.potential ? both : result.field ? field : potential;
    };
    const auto add = [&](const Channels& sums) {
      if (result.field) add_sums(sums, *result.field);
      if (result.potential) add_sums(sums, result.field ? 3 : 0, *result.potential);
    };
    if (const Vector* q = sources.charge)
      add(run(kernel(Kernel::ChargeField, Kernel::ChargePotential, Kernel::ChargeBoth), nullptr,
              [&](Index j, double* s) {
                s[0] = (*q)[j];
                return s[0] != 0;
              }));
    if (const Points* p = sources.dipole)
      add(run(kernel(Kernel::DipoleField, Kernel::DipolePotential, Kernel::DipoleBoth), nullptr,
              [&](Index j, double* s) {
                Vec3::Map(s) = p->col(j);
                return !p->col(j).isZero(0);
              }));
  }

  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override {
    Channels targets(5, padded_);
    fill(targets, 0, dx, padded_);
    fill(targets, 3, charge, padded_);
    fill(targets, 4, dcharge, padded_);
    add_sums(run(direct::Kernel::Jvp, &targets,
                 [&](Index j, double* s) {
                   Vec3::Map(s) = dx.col(j);
                   s[3] = charge[j];
                   s[4] = dcharge[j];
                   return s[3] != 0 || s[4] != 0;
                 }),
             df);
  }

  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override {
    Channels targets(3, padded_);
    fill(targets, 0, w, padded_);
    const Channels sums = run(direct::Kernel::Vjp, &targets, [&](Index j, double* s) {
      Vec3::Map(s) = w.col(j);
      s[3] = charge[j];
      return s[3] != 0;
    });
    for (Index i = 0; i < n_; ++i) dx.col(i) += coulomb_constant * charge[i] * Vec3(sums[0][i], sums[1][i], sums[2][i]);
    add_sums(sums, 3, dcharge);
  }

 private:
  /// Runs a kernel over all pairs. `fill_source(j, s)` writes what source j's record holds after its position and says
  /// whether it acts at all: sources without charge are left out, so that uncharged points may lie at one place.
  template <class FillSource>
  Channels run(direct::Kernel kernel, const Channels* targets, FillSource fill_source) const {
    const direct::Shape shape = direct::shape_of(kernel);
    std::vector<double> records(static_cast<std::size_t>(n_ * (shape.record + 1)));
    double* const index = records.data() + n_ * shape.record;
    direct::Job job;
    for (Index j = 0; j < n_; ++j) {
      double* s = records.data() + job.sources * shape.record;
      for (int a = 0; a < 3; ++a) s[a] = x_[a][j];
      if (!fill_source(j, s + 3)) continue;
      index[job.sources++] = static_cast<double>(j);
    }
    Channels sums(shape.sums, padded_);

    for (int a = 0; a < 3; ++a) job.target[a] = x_[a];
    for (int a = 0; targets && a < targets->size(); ++a) job.target[3 + a] = (*targets)[a];
    for (int k = 0; k < shape.sums; ++k) job.sum[k] = sums[k];
    job.source = records.data();
    job.source_index = index;
    job.softening2 = softening2_;
    for_target_parts(padded_, job.sources, [&](Index begin, Index end) { direct::run(kernel, job, begin, end); });
    return sums;
  }

  void add_sums(const Channels& sums, Points& out) const {
    for (Index i = 0; i < n_; ++i) out.col(i) += coulomb_constant * Vec3(sums[0][i], sums[1][i], sums[2][i]);
  }
  void add_sums(const Channels& sums, int k, Vector& out) const {
    for (Index i = 0; i < n_; ++i) out[i] += coulomb_constant * sums[k][i];
  }

  Index n_, padded_;  ///< points; the same rounded up to whole groups of targets
  double softening2_;
  Channels x_;
};

}  // namespace

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_plan(const Points& x) const {
  return std::make_unique<DirectPlan>(x, softening_);
}

}  // namespace pithball::sim
