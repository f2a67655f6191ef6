#include "app/run_folder/fit_headline.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"

using namespace pithball::app;
using pithball::optim::FittedParameter;

namespace {

FittedParameter of(const std::string& value, double estimate, double error) {
  FittedParameter p;
  p.name = value + " " + std::to_string(estimate);
  p.value = value;
  p.unit = value == "charge" ? "C" : "N/m";
  p.estimate = estimate;
  p.standard_error = error;
  return p;
}

}  // namespace

TEST_CASE("parameter digest: five numbers are those of R's default quantiles", "[app][fit]") {
  // quantile(c(9, 1, 4, 16)): 1, 3.25, 6.5, 10.75, 16
  CHECK(five_numbers({9, 1, not_known, 4, 16}) == FiveNumbers{1, 3.25, 6.5, 10.75, 16});
  CHECK(five_numbers({7}) == FiveNumbers{7, 7, 7, 7, 7});
  for (const double number : five_numbers({not_known})) CHECK(std::isnan(number));
}

TEST_CASE("parameter digest: each value is counted with its doubts, the least certain come first", "[app][fit]") {
  std::vector<FittedParameter> all{of("stiffness", 10, 1), of("charge", -2, 1), of("stiffness", 20, 1),
                                   of("stiffness", 30, 27), of("charge", 1, not_known)};
  all[2].identifiable = false;
  all[0].interval.at_bound = true;
  all[3].interval.upper_limit = 70;
  const std::vector<ValueDigest> digests = digest_parameters(all);
  REQUIRE(digests.size() == 2);
  CHECK(digests[0].value == "stiffness");
  CHECK(digests[0].estimates == FiveNumbers{10, 15, 20, 25, 30});
  CHECK(digests[0].relative_errors[0] == Approx(0.1));
  CHECK(digests[0].relative_errors[4] == Approx(0.9));  // of those that are determined
  CHECK(digests[0].sentence() == "3 of stiffness: 1 not identifiable, 1 at a bound, 1 consistent with 0.");
  CHECK(digests[1].sentence() == "2 of charge: 1 with an unknown error.");
  CHECK(least_certain(all, 10) == std::vector<std::size_t>{2, 3, 1, 0});
  CHECK(least_certain(all, 2) == std::vector<std::size_t>{2, 3});
}

TEST_CASE("parameter digest: values with fewer parameters than five numbers are listed", "[app][fit]") {
  std::vector<FittedParameter> all;
  for (int k = 0; k < 6; ++k) {
    all.push_back(of("stiffness", k + 1, 1));
    if (k < 5) all.push_back(of("charge", -k - 1, 1));
  }
  const ParametersByCount separate = separate_by_count(all);
  REQUIRE(separate.few.size() == 5);
  REQUIRE(separate.many.size() == 6);
  CHECK(separate.few[4].estimate == -5);
  CHECK(separate.many[5].estimate == 6);
  CHECK(separate_by_count({all[1], all[3]}).many.empty());
}
