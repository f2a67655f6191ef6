#include "optim/fit/intervals.hpp"

#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

TEST_CASE("laplace interval: quantiles of the prior, of the data, and of both", "[optim][prior]") {
  const LaplacePrior prior{11, 0.5};
  // Alone: P(|z| > ln 20) = 5 %, a little more with the smoothing.
  const auto [lower, upper] = laplace_interval(prior, 11, 0, 0.95, 1.96);
  CHECK(upper - 11 == Approx(0.5 * std::log(20)).epsilon(0.01));
  CHECK(11 - lower == Approx(upper - 11).epsilon(2e-3));
  CHECK(laplace_interval(prior, 11, 0, 0.9, 1.645).second - 11 == Approx(0.5 * std::log(10)).epsilon(0.01));
  // Beside data that know much more: a normal distribution of their width, with their t.
  for (const double estimate : {11.0, 12.5}) {
    const auto [below, above] = laplace_interval(prior, estimate, 1e4, 0.95, 2.3);
    CHECK(above - estimate == Approx(0.023).epsilon(0.02));
    CHECK(estimate - below == Approx(0.023).epsilon(0.02));
  }
  // Both alike, exp(−z²/2 − |z|): P(|N| > q + 1) = 0.05 P(|N| > 1), N normal, gives q = 1.412.
  CHECK(laplace_interval(prior, 11, 4, 0.95, 1.959964).second - 11 == Approx(0.5 * 1.412).epsilon(0.01));
  CHECK(pithball::test::complaint([&] { laplace_interval(prior, 11, -1, 0.95, 2); }).find("w must be") !=
        std::string::npos);
}
