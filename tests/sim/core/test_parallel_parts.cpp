// Passes that threads share by parts, and their maxima.
#include "sim/core/parallel_for.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/core/finite.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using pithball::tests::ThreadLimit;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("parallel_parts: takes each entry once, for any number of threads", "[sim][threads]") {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadLimit limit(threads);
    for (const Index count : {0, 1, 7, 1000}) {
      CAPTURE(threads, count);
      std::vector<std::atomic<int>> taken(count);
      parallel_parts(count, infinity, [&](Index i, Index end) {
        for (; i < end; ++i) ++taken[i];
      });
      for (const auto& times : taken) CHECK(times == 1);
    }
  }
}

TEST_CASE("parallel_maximum: is that of all numbers, or NaN if one is NaN", "[sim][threads]") {
  for (const int threads : {1, 2, 8}) {
    const ThreadLimit limit(threads);
    for (const Index count : {1, 7, 1000})
      for (const Index at : {Index{0}, count / 2, count - 1}) {
        CAPTURE(threads, count, at);
        Vector numbers = Vector::Constant(count, -3);
        const auto largest = [&] { return parallel_maximum(count, infinity, [&](Index i) { return numbers[i]; }); };
        CHECK(largest() == -3);
        numbers[at] = -2;
        CHECK(largest() == -2);
        numbers[at] = NAN;
        CHECK(std::isnan(largest()));
      }
    CHECK(parallel_maximum(0, infinity, [](Index) { return 1.0; }) == -infinity);
  }
}

TEST_CASE("is_finite: one infinite component or NaN in any place is seen, the largest numbers are finite", "[sim]") {
  CHECK(is_finite(Points(3, 0)));
  for (const Index n : {1, 2, 5}) {
    Points p = Points::Constant(3, n, std::numeric_limits<double>::max());
    p.row(1) *= -1;
    CHECK(is_finite(p));
    for (Index i = 0; i < p.size(); ++i)
      for (const double wrong : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
        Points q = p;
        q.reshaped()[i] = wrong;
        CAPTURE(n, i, wrong);
        CHECK_FALSE(is_finite(q));
      }
  }
}
