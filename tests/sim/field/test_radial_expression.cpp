#include "sim/field/analytic_field.hpp"

#include <cmath>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"

using pithball::sim::RadialExpression;

TEST_CASE("radial expression: value and derivatives are those of the function", "[sim][field]") {
  struct Known {
    const char* expression;
    double (*value)(double);
    double (*slope)(double);
    double (*curvature)(double);
  };
  const Known known[] = {
      {"r^-12 - 2*r^-6", [](double r) { return std::pow(r, -12) - 2 * std::pow(r, -6); },
       [](double r) { return -12 * (std::pow(r, -13) - std::pow(r, -7)); },
       [](double r) { return 156 * std::pow(r, -14) - 84 * std::pow(r, -8); }},
      {"(1 - exp(-3*(r - 1)))^2", [](double r) { return std::pow(1 - std::exp(-3 * (r - 1)), 2); },
       [](double r) { return 6 * (1 - std::exp(-3 * (r - 1))) * std::exp(-3 * (r - 1)); },
       [](double r) { return -18 * std::exp(-3 * (r - 1)) + 36 * std::exp(-6 * (r - 1)); }},
      {"sin(r)/r", [](double r) { return std::sin(r) / r; },
       [](double r) { return std::cos(r) / r - std::sin(r) / (r * r); },
       [](double r) { return -std::sin(r) / r - 2 * std::cos(r) / (r * r) + 2 * std::sin(r) / (r * r * r); }},
  };
  for (const Known& want : known) {
    const RadialExpression U(want.expression);
    CHECK(U.expression() == want.expression);
    for (const double r : {0.7, 1.3, 2.9}) {
      INFO(want.expression << " at " << r);
      CHECK(U.value(r) == Approx(want.value(r)).epsilon(1e-13));
      CHECK(U.slope(r) == Approx(want.slope(r)).epsilon(1e-13));
      const RadialExpression::Jet jet = U.jet(r);
      CHECK(jet.value == U.value(r));
      CHECK(jet.slope == U.slope(r));
      CHECK(jet.curvature == Approx(want.curvature(r)).epsilon(1e-13));
    }
  }
  CHECK(std::isnan(RadialExpression("sqrt(r - 2)").value(1)));
}

TEST_CASE("radial expression: what cannot be understood is rejected with its place", "[sim][field][error]") {
  CHECK_THROWS_WITH(RadialExpression("1/x"), Catch::Contains("'1/x', character 3") && Catch::Contains("unknown 'x'") &&
                                                 Catch::Contains("use r, pi, e, + -"));
  CHECK_THROWS_WITH(RadialExpression("abs(r)"), Catch::Contains("must be smooth"));
}

TEST_CASE("radial expression: threads may share it", "[sim][field]") {
  const RadialExpression U("r^2");
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < wrong.size(); ++k)
    threads.emplace_back([&, k] {
      for (int n = 1; n < 200; ++n) wrong[k] += std::abs(U.slope(n + 0.25 * k) - 2 * (n + 0.25 * k)) > 1e-12;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
