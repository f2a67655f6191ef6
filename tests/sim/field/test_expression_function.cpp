#include "sim/field/jet.hpp"

#include <set>
#include <string>

#include "tests/support/catch.hpp"

using namespace pithball::sim;

TEST_CASE("expression function: the slopes of every function agree with differences", "[sim][field][fd]") {
  // Near x = 1/2 the truncation d² f'''/6 and the rounding 1e-16/d are below 1e-8 of slopes near 1.
  constexpr double d = 1e-5, tolerance = 1e-8;
  for (const ExpressionFunction& f : expression_functions()) {
    const std::string name = f.name;
    const bool positive = name.starts_with("l") || name == "sqrt";
    int bent = 0;
    for (const double x : {-0.83, -0.31, 0.17, 0.4, 0.77}) {
      if (positive && x < 0) continue;
      CAPTURE(name, x);
      const auto first = [&](double at) { return f.slopes(at, f.value(at)).first; };
      const double slope = (f.value(x + d) - f.value(x - d)) / (2 * d), bend = (first(x + d) - first(x - d)) / (2 * d);
      const Slopes got = f.slopes(x, f.value(x));
      REQUIRE(std::abs(slope) > 0.1);
      bent += std::abs(bend) > 0.1;
      CHECK(got.first == Approx(slope).epsilon(tolerance));
      CHECK(got.second == Approx(bend).epsilon(tolerance).margin(tolerance));
    }
    CHECK(bent >= 2);
  }
}

TEST_CASE("expression function: slopes keep their digits where the function is flat or far out", "[sim][field]") {
  const auto slopes = [](const std::string& name, double x) {
    for (const ExpressionFunction& f : expression_functions())
      if (name == f.name) return f.slopes(x, f.value(x));
    FAIL(name);
    return Slopes{};
  };
  CHECK(slopes("tanh", 30).first == Approx(4 * std::exp(-60.0)).epsilon(1e-14));    // 1/cosh²
  CHECK(slopes("tanh", 30).second == Approx(-8 * std::exp(-60.0)).epsilon(1e-14));  // −2 tanh/cosh²
  CHECK(slopes("tanh", 800).first == 0);
  CHECK(slopes("atan", 1e100).first == Approx(1e-200).epsilon(1e-14));
  CHECK(slopes("atan", 1e100).second == Approx(-2e-300).epsilon(1e-14));
  const double gap = std::ldexp(1, -40);  // asin' at 1 − gap is 1/√(2 gap) (1 + gap/4 + …)
  CHECK(slopes("asin", 1 - gap).first == Approx(1 / std::sqrt(2 * gap)).epsilon(1e-12));
}
