#include "sim/neighbors/verlet_list_search.hpp"

#include <random>
#include <thread>

#include "sim/neighbors/cell_search.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

constexpr double verlet_cutoff = 0.2, verlet_skin = 0.05;

/// Points that tremble about their places by at most `size` [m] in each coordinate.
Points trembling(double size, unsigned seed) {
  std::mt19937_64 places(3), shifts(seed);
  std::uniform_real_distribution<double> place(0, 1), shift(-size, size);
  Points x(3, 400);
  for (double& entry : x.reshaped()) entry = place(places) + (size > 0 ? shift(shifts) : 0);
  return x;
}

std::shared_ptr<const VerletListSearch> verlet_list() {
  return std::make_shared<VerletListSearch>(std::make_shared<HashedGridSearch>(), verlet_skin);
}

}  // namespace

TEST_CASE("verlet_list: keeps its list until a point has moved by half the skin", "[sim][neighbors]") {
  const auto search = verlet_list();
  Points x = trembling(0, 0);
  const auto first = search->candidates(x, verlet_cutoff);
  x(0, 7) += 0.499 * verlet_skin;
  CHECK(search->candidates(x, verlet_cutoff) == first);
  CHECK(search->searches() == 1);
  x(0, 7) += 0.002 * verlet_skin;
  CHECK(search->candidates(x, verlet_cutoff) != first);
  CHECK(search->searches() == 2);
  search->candidates(x, verlet_cutoff + 0.5 * verlet_skin);  // what moves and how far it is looked share the skin
  CHECK(search->searches() == 2);
  search->candidates(x, verlet_cutoff + 1.1 * verlet_skin);
  CHECK(search->searches() == 3);
  search->candidates(x.leftCols(399), verlet_cutoff);
  CHECK(search->searches() == 4);
}

TEST_CASE("verlet_list: finds the right pairs whenever its list was made", "[sim][neighbors][equivalence]") {
  const auto search = verlet_list();
  int kept = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const long before = search->searches();
    // Mostly within half the skin of each other, sometimes not.
    const Points x = trembling(seed % 5 == 4 ? 0.1 : 0.12 * verlet_skin, seed);
    CHECK(*search->find(x, verlet_cutoff) == *HashedGridSearch().find(x, verlet_cutoff));
    kept += search->searches() == before;
  }
  CHECK(kept >= 10);  // or else nothing was tested
}

TEST_CASE("verlet_list: threads that share it get right pairs", "[sim][neighbors]") {
  const auto search = verlet_list();
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (unsigned n = 0; n < 20; ++n) {
        const Points x = trembling(0.1, 10 * k + n / 4);
        wrong[k] += *search->find(x, verlet_cutoff) != *HashedGridSearch().find(x, verlet_cutoff);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
