#include <cmath>
#include <set>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench coulomb: rows contain time, rate and error of every method", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench coulomb --n 200,500 --distribution cube,torus --json --repeats 1");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  CHECK(result["threads"].get<int>() >= 1);
  CHECK(!result["instruction_set"].get<std::string>().empty());
  std::set<std::string> methods;
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    methods.insert(row["method"].get<std::string>());
    const double n = row["n"].get<double>(), seconds = row["seconds"].get<double>();
    CHECK(seconds > 0);
    CHECK(row["pairs_per_second"].get<double>() == Approx(n * n / seconds));
    CHECK(row["ratio_to_direct"].get<double>() == Approx(seconds / row["direct_seconds"].get<double>()));
    CHECK(row["extrapolated"] == false);
    CHECK(row["targets"] == row["n"]);
    // Exact methods differ from the reference by rounding; the sum of 500 terms loses some bits.
    if (row["method"] == "plain_eigen" || row["method"] == "direct") CHECK(row["error"].get<double>() < 1e-13);
    if (row["method"] == "direct_single") CHECK((row["error"] > 1e-9 && row["error"] < 3e-6));  // float32 pairs
    CHECK(row["error"].get<double>() ==
          std::max(row["errors"]["one"].get<double>(), row["errors"]["mixed"].get<double>()));
  }
  CHECK(methods.count("plain_eigen") == 1);
  CHECK(methods.count("direct") == 1);
  CHECK(methods.count("direct_single") == 1);
}

TEST_CASE("bench coulomb: potential and Jacobian products have rows of their own", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run(
      "bench coulomb --n 300 --distribution lattice --methods direct --quantities field,potential,both,jvp,vjp --json "
      "--repeats 1 --charges neutral");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto rows = outcome.json()["rows"];
  REQUIRE(rows.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) CHECK(rows[k]["seconds"].get<double>() > 0);
  for (std::size_t k = 0; k < 3; ++k) CHECK(rows[k]["errors"]["neutral"].get<double>() < 1e-13);  // rounding
  CHECK(rows[3]["quantity"] == "jvp");
  CHECK(rows[3]["error"].is_null());  // direct is what products are compared with
}

TEST_CASE("bench coulomb: the table for people names points, methods and errors", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench coulomb --n 145 --methods plain_eigen,direct --repeats 1");
  REQUIRE(outcome.status == 0);
  for (const char* word : {"torus, 144 points", "plain_eigen", "Gpairs/s", "/ direct", "mixed"})
    CHECK(outcome.out.find(word) != std::string::npos);
  CHECK(place.run("bench coulomb --n 145 --quiet --repeats 1").out.empty());
}

TEST_CASE("bench coulomb: a million points are skipped, and the row says so", "[experiments][bench]") {
  const Workplace place;
  const auto result = place.run("bench coulomb --n 1000000 --methods direct,plain_eigen --json --repeats 1").json();
  REQUIRE(result["rows"].size() == 1);
  CHECK(result["rows"][0]["method"] == "direct");
  CHECK(result["rows"][0]["extrapolated"] == true);
  CHECK(result["rows"][0]["n"] == 999530);
}

TEST_CASE("bench: wrong options end with status 2 and name the command", "[experiments][bench][error]") {
  const Workplace place;
  for (const char* arguments :
       {"coulomb --n 1", "coulomb --n many", "coulomb --distribution torus", "coulomb --n 100 --distribution doughnut",
        "coulomb --methods magic", "coulomb --tolerance 0", "coulomb --tolerance 2", "coulomb --charges none",
        "coulomb --full --n 100", "coulomb --n 100 --quantities energy", "coulomb file.yaml", "coulomb --repeats 0",
        "coulomb --segments 3,3", "step --full"}) {
    const Outcome outcome = place.run(std::string("bench ") + arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.rfind("pithball-lab bench ", 0) == 0);
    CHECK(outcome.err.find("--help") != std::string::npos);
    CHECK(outcome.out.empty());
  }
}
