#include "sim/core/registry.hpp"

#include <algorithm>

#include "sim/constraint/constraint_registry.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;

namespace {

struct Kind {
  std::string name;
  int number = 0;
};

}  // namespace

TEST_CASE("registry: kinds are found by name, listed in order, and stay where they are", "[sim][registry]") {
  sim::Registry<Kind> kinds("key", {{"a", 1}, {"b", 2}});
  const Kind* const first = kinds.find("a");
  REQUIRE(first);
  CHECK(kinds.find("c") == nullptr);
  for (int k = 0; k < 100; ++k) kinds.add({"c" + std::to_string(k), k});
  CHECK(kinds.size() == 102);
  CHECK(kinds.find("a") == first);
  CHECK(kinds.at("c99").number == 99);
  CHECK(kinds.names()[2] == "c0");
  CHECK(kinds[1].number == 2);
  CHECK(&kinds.front() == first);
}

TEST_CASE("registry: an unknown name, and one that is taken, are rejected", "[sim][registry]") {
  sim::Registry<Kind> kinds("key", {{"a", 1}, {"b", 2}});
  CHECK_THROWS_WITH(kinds.at("d"), "key: must be one of a, b, got d; choose one of them");
  CHECK_THROWS_WITH(kinds.add({"b"}), "key: must have a name of its own, got b; choose another name");
  CHECK_THROWS_AS(kinds.add({""}), InvalidArgument);
  CHECK(kinds.size() == 2);
}

TEST_CASE("registry: no list of the program has a name twice", "[sim][registry]") {
  const auto check = [](std::vector<std::string> names) {
    CHECK(names.size() > 1);
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
  };
  check(sim::forces().names());
  check(sim::constraints().names());
  check(sim::coulomb_methods().names());
  check(sim::neighbor_methods().names());
}
