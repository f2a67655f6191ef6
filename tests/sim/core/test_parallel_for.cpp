#include "sim/core/parallel_for.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "datasets/mesh/point_set.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/model/model.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::sim;
using tests::ThreadLimit;

namespace {

/// More work than any number of threads needs to be worth their while.
constexpr double much = std::numeric_limits<double>::infinity();

/// Everything that a Coulomb sum can be asked for, once, with a tree or tetrahedra made anew.
std::vector<double> everything(const CoulombSum& sum, const Points& x) {
  const Index n = x.cols();
  const Vector q = datasets::make_charges("mixed", n), dq = datasets::make_charges("mixed", n, 2);
  const Points u = datasets::make_point_set("cube", n, 2);
  Vector potential = Vector::Zero(n), by_charge = potential;
  Points field = Points::Zero(3, n), change = field, pulled = field;
  const auto plan = sum.make_plan(x);
  plan->evaluate({&q, &u}, {&potential, &field});
  plan->force_jvp(q, u, dq, change);
  plan->force_vjp(q, u, pulled, by_charge);
  std::vector<double> all;
  for (const Points& points : {field, change, pulled}) all.insert(all.end(), points.data(), points.data() + 3 * n);
  for (const Vector& numbers : {potential, by_charge}) all.insert(all.end(), numbers.data(), numbers.data() + n);
  return all;
}

std::uint64_t loops_shared_by(const std::function<void()>& work) {
  const std::uint64_t before = shared_loops();
  work();
  return shared_loops() - before;
}

}  // namespace

TEST_CASE("parallel_for: takes every turn once, for any number of threads", "[sim][threads]") {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadLimit limit(threads);
    for (const Index count : {0, 1, 2, 7, 1000})
      for (const Index grain : {1, 3, 4096}) {
        CAPTURE(threads, count, grain);
        std::vector<std::atomic<int>> turns(count);
        parallel_for(
            count, much, [&](Index k) { ++turns[k]; }, grain);
        for (const auto& turn : turns) CHECK(turn == 1);
      }
  }
}

TEST_CASE("parallel_in_order: iterations start in ascending order", "[sim][threads]") {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadLimit limit(threads);
    std::atomic<Index> begun{0};
    std::atomic<bool> early{false};
    parallel_in_order(200, much, [&](Index k) {
      // Of those before it, only what other threads have just taken may not have begun yet.
      if (begun.fetch_add(1) < k - (threads - 1)) early = true;
      std::this_thread::sleep_for(std::chrono::microseconds(20));  // so that others take part
    });
    CHECK(begun == 200);
    CHECK_FALSE(early);
  }
}

TEST_CASE("parallel_for: little work stays with its caller, much is shared", "[sim][threads]") {
  const ThreadLimit limit(8);
  std::set<std::thread::id> who;
  const auto loop = [&](double pairs) {
    return loops_shared_by([&] { parallel_for(100, pairs, [&](Index) { who.insert(std::this_thread::get_id()); }); });
  };
  for (const double pairs : {0.0, 1.0, 145.0 * 145.0}) CHECK(loop(pairs) == 0);
  CHECK(who == std::set{std::this_thread::get_id()});
  std::mutex adding;
  CHECK(loops_shared_by([&] { parallel_for(100, much, [&](Index) { const std::lock_guard lock(adding); }); }) == 1);
  CHECK(threads_for(1e6) > 1);
  CHECK(threads_for(much) == 8);
  const ThreadLimit one(1);
  CHECK(loops_shared_by([&] { parallel_for(100, much, [](Index) {}); }) == 0);
}

TEST_CASE("parallel_for: loops of less work are shared while a thread looks for one", "[sim][threads]") {
  const ThreadLimit limit(2);
  constexpr double some = 8e4;
  const auto shares = [&](std::chrono::milliseconds pause) {
    parallel_for(100, much, [](Index) { std::this_thread::sleep_for(std::chrono::microseconds(2)); });
    std::this_thread::sleep_for(pause);
    return loops_shared_by([&] { parallel_for(100, some, [](Index) {}); }) > 0;
  };
  // Of many tries one meets a helper that looks, and one a helper that sleeps, whatever else the machine does.
  constexpr int tries = 200;
  int awake = 0, asleep = 0;
  while (awake < tries && !shares(std::chrono::milliseconds(0))) ++awake;
  while (asleep < tries && shares(std::chrono::milliseconds(2))) ++asleep;
  CHECK(awake < tries);
  CHECK(asleep < tries);
}

TEST_CASE("parallel_for: no Coulomb sum over few points takes threads, and over many each does", "[sim][threads]") {
  const ThreadLimit limit(8);
  for (const CoulombMethod& method : coulomb_methods()) {
    CAPTURE(method.name);
    CoulombOptions options;
    options.method = method.name;
    if (method.name == "ddef") options.ddef.points = 50;
    const auto sum = make_coulomb_sum(options);
    CHECK(loops_shared_by([&] { everything(*sum, datasets::make_point_set("torus", 145)); }) == 0);
    options.ddef.points = 1000;
    const auto fine = make_coulomb_sum(options);
    CHECK(loops_shared_by([&] { everything(*fine, datasets::make_point_set("torus", 10000)); }) > 0);
  }
}

TEST_CASE("parallel_for: a charged body of springs moves the same, bit for bit, on 1, 2 and 3 threads",
          "[sim][threads]") {
  struct Case {
    const char* integrator;
    int around, across;  // with 4,000 particles, passes over particles are shared as well
  };
  for (const auto& [integrator, around, across] : {Case{"velocity_verlet", 60, 12}, Case{"imex_euler", 60, 12},
                                                   Case{"imex_midpoint", 60, 12}, Case{"imex_midpoint", 100, 40}}) {
    CAPTURE(integrator, around);
    tests::Torus torus{.stiffness = 10, .charge = 1e-6, .damping = 0.05};
    torus.around = around;
    torus.across = across;
    const Model model = torus.model();
    const auto end = [&](int threads) {
      const ThreadLimit limit(threads);
      Stepper stepper(model, torus.state(), integrator, {}, 0.005);
      for (int step = 0; step < (around > 60 ? 3 : 20); ++step) REQUIRE(stepper.advance().status == StepStatus::Ok);
      return stepper.state();
    };
    const std::uint64_t before = shared_loops();
    const State one = end(1);
    CHECK(shared_loops() == before);
    for (const int threads : {2, 3}) {
      const State same = end(threads);
      CHECK(same.x == one.x);
      CHECK(same.v == one.v);
    }
    CHECK(shared_loops() > before);
  }
}

TEST_CASE("parallel_for: loops within turns and loops of several callers end, and add up", "[sim][threads]") {
  const ThreadLimit limit(3);
  std::vector<long> sums(4 * 20);
  const auto caller = [&](std::size_t who) {
    parallel_for(20, much, [&, who](Index i) {
      std::vector<long> inner(50);
      parallel_for(50, much, [&](Index j) { inner[j] = i * j; });
      sums[20 * who + i] = std::accumulate(inner.begin(), inner.end(), 0L);
    });
  };
  std::vector<std::thread> callers;
  for (std::size_t who = 0; who < 4; ++who) callers.emplace_back([&, who] { caller(who); });
  for (std::thread& thread : callers) thread.join();
  for (std::size_t k = 0; k < sums.size(); ++k) CHECK(sums[k] == static_cast<long>(k % 20) * 1225);
}

TEST_CASE("parallel_for: throws the exception of the earliest turn that fails, after all turns", "[sim][threads]") {
  for (const int threads : {2, 3}) {
    const ThreadLimit limit(threads);
    std::atomic<int> turns{0};
    const auto work = [&](Index k) {
      ++turns;
      if (k % 10 == 7) throw std::runtime_error("turn " + std::to_string(k));
    };
    CHECK_THROWS_WITH(parallel_for(100, much, work), "turn 7");
    CHECK(turns == 100);
  }
}
