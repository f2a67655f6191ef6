#include <map>
#include <set>
#include <string>

#include "experiments/bench/neighbor_bench.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench neighbors: every method finds as many pairs, and the figures are complete", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench neighbors --points 300,1000 --neighbors 20 --repeats 1 --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  std::map<int, std::set<int>> pairs;
  std::set<std::string> methods;
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    methods.insert(row["method"].get<std::string>());
    pairs[row["points"]].insert(row["pairs"].get<int>());
    CHECK(row["seconds"].get<double>() > 0);
    if (row["method"] != "brute_force" && row["method"] != "sph") CHECK(row["bytes"].get<int>() > 0);
  }
  CHECK(methods == std::set<std::string>{"brute_force", "cell_list", "hashed_grid", "tree", "sph"});
  REQUIRE(pairs.size() == 2);
  for (const auto& [points, counts] : pairs) {
    REQUIRE(counts.size() == 1);
    // Half of 20 for each point, less what a point near the border misses.
    CHECK(*counts.begin() > 5 * points);
    CHECK(*counts.begin() < 10 * points);
  }
  for (const std::string& method : methods) CHECK(result["exponents"][method].is_number());
}

TEST_CASE("bench neighbors: the exponent is the slope of the logarithms", "[experiments][bench]") {
  using pithball::experiments::NeighborRow;
  std::vector<NeighborRow> rows;
  for (const int n : {100, 1000, 5000}) rows.push_back({"tree", n, 0, 3e-6 * std::pow(n, 1.25), {}});
  rows.push_back({"cell_list", 100, 0, 7, {}});
  CHECK(pithball::experiments::cost_exponent(rows, "tree") == Approx(1.25));
  CHECK(std::isnan(pithball::experiments::cost_exponent(rows, "cell_list")));
}

TEST_CASE("bench neighbors: the table for people, and options that are wrong", "[experiments][bench][error]") {
  const Workplace place;
  const Outcome outcome = place.run("bench neighbors --points 100,200 --methods tree --repeats 1");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const char* word : {"one thread", "us/point", "tree", "seconds ~ points^"})
    CHECK(outcome.out.find(word) != std::string::npos);
  CHECK(outcome.out.find("hashed_grid") == std::string::npos);
  for (const char* arguments : {"--points 1", "--neighbors 0", "--repeats 0", "--methods auto", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench neighbors ") + arguments).status == 2);
  }
}
