#include <string>
#include <vector>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench cloth: every way to sum makes the same steps, and its parts add up", "[experiments][bench]") {
  const Workplace place;
  // Enough vertices for auto to choose fmm at this tolerance.
  const Outcome outcome = place.run("bench cloth --vertices 3600 --steps 4 --common 2 --tolerance 1e-3 --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  CHECK(result["vertices"] == 3600);
  CHECK(!result["linear_solver"].get<std::string>().empty());
  std::vector<std::string> methods;
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    const auto method = row["method"].get<std::string>();
    methods.push_back(method);
    CHECK(row["status"] == "ok");
    CHECK(row["common_steps"]["steps"] == 2);
    CHECK(row["all_steps"]["steps"] == (method == "auto" ? 4 : 2));
    for (const char* over : {"common_steps", "all_steps"}) {
      const auto& s = row[over];
      CHECK(s["coulomb_evaluation"].get<double>() > 0);
      CHECK(s["coulomb"].get<double>() + s["rest"].get<double>() == Approx(s["seconds_per_step"].get<double>()));
    }
    CHECK(row["ratio_to_auto"].get<double>() ==
          Approx(row["common_steps"]["seconds_per_step"].get<double>() /
                 result["rows"][0]["common_steps"]["seconds_per_step"].get<double>()));
    // The field is right to the tolerance, and it makes up about a tenth of the forces.
    CHECK(row["difference_to_auto"].get<double>() < 1e-3);
  }
  REQUIRE(methods.size() >= 3);  // plain_native is left out where it cannot run
  CHECK(methods[0] == "auto");
  CHECK(methods[1] == "direct");
  CHECK(methods[2] == "plain_eigen");
  CHECK(result["rows"][1]["difference_to_auto"].get<double>() > 0);  // auto chose another sum than direct
}

TEST_CASE("bench cloth: the table for people, and options that are wrong", "[experiments][bench][error]") {
  const Workplace place;
  const Outcome outcome = place.run("bench cloth --vertices 64 --steps 1 --set simulation.linear_solver=cholesky");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const char* word : {"cloth of 64 vertices", "plain_eigen", "/ auto", "cholesky"})
    CHECK(outcome.out.find(word) != std::string::npos);
  for (const char* arguments : {"--vertices 1", "--steps 0", "--common 0", "--tolerance 1", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench cloth ") + arguments).status == 2);
  }
}
