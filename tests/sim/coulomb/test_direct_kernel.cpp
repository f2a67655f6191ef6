#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;
using namespace direct_cases;

namespace {

/// The kernels as a method calls them that sums over some of the points only: `targets` points of a cloud, and sources
/// `first` ≤ j < `last` among the same points.
struct Near {
  Near(const Cloud& cloud, Index targets)
      : c(cloud), n(targets), padded((n + direct::group - 1) / direct::group * direct::group), x(3, padded) {
    direct::fill(x, 0, Points(c.x.leftCols(n)));
  }
  /// Adds to the sums of the targets; `own`: sources know which target they are.
  void add(bool single, direct::Kernel kernel, Index first, Index last, bool own, std::vector<Vector>& sums) const {
    std::vector<double> records, index;
    for (Index j = first; j < last; ++j) {
      records.insert(records.end(), {c.x(0, j), c.x(1, j), c.x(2, j), c.q[j]});
      index.push_back(j);
    }
    direct::Job job;
    for (int a = 0; a < 3; ++a) job.target[a] = x[a];
    direct::Channels out(direct::shape_of(kernel).sums, padded);
    for (int k = 0; k < out.size(); ++k) {
      job.sum[k] = out[k];
      std::copy(sums[k].begin(), sums[k].end(), out[k]);
    }
    job.source = records.data();
    job.sources = last - first;
    if (own) job.source_index = index.data();
    if (single)
      direct::run_single(kernel, job, 0, n);
    else
      direct::run(kernel, job, 0, padded);
    for (int k = 0; k < out.size(); ++k) std::copy(out[k], out[k] + padded, sums[k].begin());
  }
  std::vector<Vector> zero(direct::Kernel kernel) const {
    return std::vector<Vector>(direct::shape_of(kernel).sums, Vector::Zero(padded));
  }
  const Cloud& c;
  Index n, padded;
  direct::Channels x;
};

/// √Σ over channels first…last of the squared relative errors of true targets.
double error(const Near& near, const std::vector<Vector>& got, const std::vector<Vector>& want, int first, int last) {
  double difference = 0, size = 0;
  for (int k = first; k < last; ++k) {
    difference += (got[k] - want[k]).head(near.n).squaredNorm();
    size += want[k].head(near.n).squaredNorm();
  }
  return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE("direct kernel: sums over parts of the sources add up", "[sim][coulomb]") {
  const Cloud c(300);
  with_every_instruction_set([&] {
    const Near near(c, 101);
    for (bool single : {false, true}) {
      const direct::Kernel kernel = direct::Kernel::ChargeBoth;
      std::vector<Vector> whole = near.zero(kernel), parts = near.zero(kernel);
      near.add(single, kernel, 0, 300, true, whole);
      near.add(single, kernel, 0, 50, true, parts);
      near.add(single, kernel, 50, 110, true, parts);
      near.add(single, kernel, 110, 300, false, parts);  // none of these is a target
      CHECK(error(near, parts, whole, 0, 3) < (single ? 1e-6 : rounding));
      CHECK(error(near, parts, whole, 3, 4) < (single ? 1e-6 : rounding));
    }
  });
}

TEST_CASE("direct kernel: float32 sums are good to 1e-6 of those in double", "[sim][coulomb][equivalence]") {
  using direct::Kernel;
  with_every_instruction_set([] {
    for (Index n : {1, 3, 8, 9, 17, 100, 129, 300}) {  // up to three chunks of targets
      CAPTURE(n, direct::instruction_set());
      Cloud c(700);
      c.x.array() += 1000;  // far from the origin: coordinates are taken relative to the targets
      const Near near(c, n);
      for (Kernel kernel : {Kernel::ChargeField, Kernel::ChargePotential, Kernel::ChargeBoth}) {
        std::vector<Vector> single = near.zero(kernel), twice = near.zero(kernel);
        near.add(true, kernel, 0, 700, true, single);
        near.add(false, kernel, 0, 700, true, twice);
        const int sums = direct::shape_of(kernel).sums;
        if (kernel != Kernel::ChargePotential) CHECK(error(near, single, twice, 0, 3) < 1e-6);
        if (kernel != Kernel::ChargeField) CHECK(error(near, single, twice, sums - 1, sums) < 1e-6);
      }
    }
  });
}

TEST_CASE("direct kernel: float32 sums do close pairs in double", "[sim][coulomb][error]") {
  with_every_instruction_set([] {
    for (double distance : {1e-3, 1e-6, 1e-9, 0.0}) {
      CAPTURE(distance);
      Cloud c(200);
      c.x.col(30) = c.x.col(3) + Vec3(0, distance, 0);
      const Near near(c, 100);
      const direct::Kernel kernel = direct::Kernel::ChargeBoth;
      std::vector<Vector> single = near.zero(kernel), twice = near.zero(kernel);
      near.add(true, kernel, 0, 200, true, single);
      near.add(false, kernel, 0, 200, true, twice);
      for (int k = 0; k < 4; ++k) {
        if (distance > 0)
          for (Index i : {3, 30}) CHECK(single[k][i] == twice[k][i]);
        else
          for (Index i : {3, 30}) CHECK_FALSE(std::isfinite(single[k][i]));
        CHECK(std::isfinite(single[k][50]));
      }
    }
  });
}
