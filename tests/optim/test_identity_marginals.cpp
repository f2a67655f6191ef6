// Probabilities of assignments: against a sum over all joint events written out, and against each other.

#include <functional>
#include <random>

#include "optim/identity/marginals.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

/// Odds with a few pairs of each particle.
FrameOdds random_odds(Index particles, Index detections, double density, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance;
  FrameOdds odds{Eigen::MatrixXd::Zero(particles, detections)};
  for (Index i = 0; i < particles; ++i)
    for (Index j = 0; j < detections; ++j)
      if (chance(random) < density) odds.pair(i, j) = std::exp(6 * chance(random) - 2);
  return odds;
}

/// Sums over all joint events, one by one.
FrameMarginals sum_events(const FrameOdds& odds) {
  FrameMarginals sums{Eigen::MatrixXd::Zero(odds.particles(), odds.detections()), {}, {}, 0, 0};
  double total = 0;
  std::vector<Index> event;
  std::vector<bool> taken(static_cast<std::size_t>(odds.detections()), false);
  const std::function<void(double)> go = [&](double weight) {
    const auto i = static_cast<Index>(event.size());
    if (i == odds.particles()) {
      total += weight;
      for (Index k = 0; k < i; ++k)
        if (event[k] >= 0) sums.pair(k, event[k]) += weight;
      return;
    }
    event.push_back(-1);
    go(weight);
    for (Index j = 0; j < odds.detections(); ++j) {
      if (taken[j] || !(odds.pair(i, j) > 0)) continue;
      taken[j] = true;
      event.back() = j;
      go(weight * odds.pair(i, j));
      taken[j] = false;
    }
    event.pop_back();
  };
  go(1);
  sums.pair /= total;
  sums.log_sum = std::log(total);
  return sums;
}

}  // namespace

TEST_CASE("identity marginals: those of all joint events written out", "[optim][identity]") {
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const FrameOdds odds = random_odds(5, 6, 0.4, seed);
    const FrameMarginals found = compute_marginals(odds), expected = sum_events(odds);
    CHECK(found.approximated == 0);
    CHECK((found.pair - expected.pair).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(found.log_sum == Approx(expected.log_sum).epsilon(1e-12));
    CHECK((found.missed - (1 - expected.pair.rowwise().sum().array()).matrix()).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("identity marginals: more detections than fit a set are summed over particles", "[optim][identity]") {
  const FrameOdds odds = random_odds(4, 13, 1, 3);
  const FrameMarginals found = compute_marginals(odds);
  CHECK(found.approximated == 0);
  CHECK((found.pair - sum_events(odds).pair).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("identity marginals: a crowd is said to be approximate, and is near the exact sum", "[optim][identity]") {
  // Two crowds that differ by one weak pair: joined they are too large for a sum, apart each is small enough.
  FrameOdds apart{Eigen::MatrixXd::Zero(12, 12)};
  apart.pair.topLeftCorner(6, 6) = random_odds(6, 6, 0.5, 5).pair;
  apart.pair.bottomRightCorner(6, 6) = random_odds(6, 6, 0.5, 6).pair;
  for (Index i = 0; i < 11; ++i)  // a chain, so that each is one group
    if (i != 5) apart.pair(i, i + 1) = apart.pair(i, i) = 2;
  FrameOdds joined = apart;
  joined.pair(5, 6) = 1e-9;
  joined.pair(5, 5) = 2;
  apart.pair(5, 5) = 2;
  const FrameMarginals exact = compute_marginals(apart), crowd = compute_marginals(joined);
  CHECK(exact.approximated == 0);
  REQUIRE(crowd.approximated == 12);
  CHECK((exact.pair - crowd.pair).cwiseAbs().maxCoeff() < 0.15);
  CHECK((exact.pair - crowd.pair).cwiseAbs().maxCoeff() > 1e-6);  // it is an approximation
  CHECK((crowd.pair.rowwise().sum().array() <= 1 + 1e-9).all());
}

TEST_CASE("identity marginals: enormous odds lose no digits", "[optim][identity]") {
  FrameOdds odds{Eigen::MatrixXd::Zero(12, 12)};
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 12; ++j) odds.pair(i, j) = i == j ? 1e40 : 1;
  const FrameMarginals found = compute_marginals(odds);
  CHECK(found.pair.diagonal().minCoeff() > 1 - 1e-9);
  CHECK(found.pair.allFinite());
}

TEST_CASE("identity marginals: many particles at one detection stay within the range of numbers", "[optim][identity]") {
  const FrameMarginals found = compute_marginals(FrameOdds{Eigen::MatrixXd::Constant(40, 1, 1e9)});
  CHECK((found.pair.array() * 40 - 1).abs().maxCoeff() < 1e-9);
  CHECK(found.log_sum == Approx(std::log(1 + 40e9)));
  CHECK(found.spurious[0] < 1e-9);
  const FrameMarginals turned = compute_marginals(FrameOdds{Eigen::MatrixXd::Constant(1, 40, 1e9)});
  CHECK((turned.pair.array() * 40 - 1).abs().maxCoeff() < 1e-9);
}

TEST_CASE("identity marginals: the best event gives no detection to two particles", "[optim][identity]") {
  FrameMarginals marginals{Eigen::MatrixXd(2, 2), Vector(2), Vector(2), 0, 0};
  marginals.pair << 0.55, 0.3, 0.5, 0.01;
  marginals.missed << 0.15, 0.49;
  marginals.spurious << 0.01, 0.69;
  const std::vector<Index> best = find_best_event(marginals);
  CHECK(best == std::vector<Index>{0, -1});
}
