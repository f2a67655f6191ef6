#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/direct/symmetric_kernel.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using namespace direct_cases;
using direct::Channels;
using direct::Kernel;

namespace {

/// All points of a cloud as both kinds of kernel want them.
struct AllPairs {
  AllPairs(const Cloud& c, Kernel k, double softening)
      : kernel(k), shape(direct::shape_of(k)), n(c.size()), channels(shape.record, direct::padded_size(n)) {
    const bool charges = shape.record == 4;
    direct::fill(channels, 0, c.x, 100);  // the padding lies apart
    if (!charges) direct::fill(channels, 3, c.u);
    direct::fill(channels, charges ? 3 : 6, c.q);
    if (kernel == Kernel::Jvp) direct::fill(channels, 7, c.dq);
    softening2 = softening * softening;
  }
  Eigen::MatrixXd one_sided() const {
    std::vector<double> records, index;
    for (Index j = 0; j < n; ++j) {
      for (int k = 0; k < shape.record; ++k) records.push_back(channels[k][j]);
      index.push_back(j);
    }
    direct::Job job;
    job.source = records.data();
    job.source_index = index.data();
    job.sources = n;
    job.softening2 = softening2;
    Channels sums(shape.sums, channels.padded());
    sums.set_zero();
    for (int k = 0; k < shape.record; ++k) job.target[k] = channels[k];
    for (int k = 0; k < shape.sums; ++k) job.sum[k] = sums[k];
    direct::run(kernel, job, 0, channels.padded());
    return matrix(sums);
  }
  Eigen::MatrixXd once(int threads = 1) const {
    const pithball::tests::ThreadLimit limit(threads);
    direct::SymmetricJob<double> job;
    job.softening2 = softening2;
    Channels sums(shape.sums, channels.padded());
    sums.set_zero();
    for (int k = 0; k < shape.record; ++k) job.point[k] = channels[k];
    for (int k = 0; k < shape.sums; ++k) job.sum[k] = sums[k];
    direct::run_symmetric(kernel, job, n);
    return matrix(sums);
  }
  Eigen::MatrixXd matrix(const Channels& sums) const {
    Eigen::MatrixXd m(n, sums.size());
    for (int k = 0; k < sums.size(); ++k) m.col(k) = Eigen::Map<const Vector>(sums[k], n);
    return m;
  }

  Kernel kernel;
  direct::Shape shape;
  Index n;
  Channels channels;
  double softening2;
};

}  // namespace

TEST_CASE("symmetric kernel: each pair once gives the one-sided sums", "[sim][coulomb][equivalence]") {
  with_every_instruction_set([] {
    for (Index n : {0, 1, 2, 3, 8, 17, 145, 255, 256, 500, 1100})  // one block, four, and more
      for (double softening : {0.0, 0.3})
        for (Kernel kernel :
             {Kernel::ChargeField, Kernel::ChargePotential, Kernel::ChargeBoth, Kernel::Jvp, Kernel::Vjp}) {
          CAPTURE(n, softening, static_cast<int>(kernel));
          REQUIRE(direct::has_symmetric(kernel));
          const Cloud cloud(n);
          const AllPairs pairs(cloud, kernel, softening);
          CHECK(relative_error(pairs.once(), pairs.one_sided()) < rounding);
        }
  });
}

TEST_CASE("symmetric kernel: bit-identical for any number of threads", "[sim][coulomb]") {
  for (Index n : {145, 500, 2100})
    for (Kernel kernel : {Kernel::ChargeField, Kernel::ChargePotential, Kernel::ChargeBoth, Kernel::Jvp, Kernel::Vjp}) {
      const Cloud cloud(n);
      const AllPairs pairs(cloud, kernel, 0);
      const Eigen::MatrixXd one = pairs.once(1);
      for (int threads : {2, 3, 7})
        for (int repeat = 0; repeat < 5; ++repeat) CHECK(pairs.once(threads) == one);
    }
}

TEST_CASE("symmetric kernel: ends where threads outnumber processors, so that some are held up anywhere",
          "[sim][coulomb]") {
  // When a block paired with itself was finished twice, five runs of this test in six hung on two processors.
  for (Index n : {800, 1100}) {
    const AllPairs pairs(Cloud(n), Kernel::ChargeField, 0);
    const Eigen::MatrixXd one = pairs.once(1);
    bool same = true;
    for (int repeat = 0; repeat < 3000; ++repeat) same = same && pairs.once(4 * max_threads()) == one;
    CHECK(same);
  }
}

TEST_CASE("symmetric kernel: forces of action and reaction cancel", "[sim][coulomb][conservation]") {
  with_every_instruction_set([] {
    const Cloud cloud(500);
    Points f = AllPairs(cloud, Kernel::ChargeField, 0).once().transpose() * cloud.q.asDiagonal();
    // each pair cancels to two roundings of its own force, and the addition to those of partial sums
    CHECK(f.rowwise().sum().norm() < 1e-15 * f.colwise().norm().sum());
    f = AllPairs(cloud, Kernel::Jvp, 0).once().transpose();
    CHECK(f.rowwise().sum().norm() < 1e-15 * f.colwise().norm().sum());
  });
}
