#include "sim/field/expression_program.hpp"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

template <class Scalar>
Scalar at(const std::string& expression, const std::array<double, 4>& xyzt) {
  Scalar result;
  compile_expression(expression)
      .evaluate<Scalar>(space_and_time(xyzt.data(), &xyzt[3]), 1, [&](Index, const Scalar& value) { result = value; });
  return result;
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

}  // namespace

TEST_CASE("expression: values and first and second derivatives are those of a computer algebra system",
          "[sim][field][reference]") {
  const auto file =
      nlohmann::json::parse(std::ifstream(pithball::tests::in_sources("tests/reference/expressions.json")));
  const std::array<double, 4> point{file["point"]["x"], file["point"]["y"], file["point"]["z"], file["point"]["t"]};
  const auto close = [](double got, double want, double scale) {
    CAPTURE(got, want);
    CHECK(std::abs(got - want) <= 1e-14 * scale);  // rounding of a few operations, arguments of functions included
  };
  for (const auto& row : file["expressions"]) {
    const std::string expression = row["expression"];
    CAPTURE(expression);
    const double value = row["value"];
    close(at<double>(expression, point), value, std::abs(value));
    const auto first = at<Jet<4, 1>>(expression, point);
    const auto second = at<Jet<4, 2>>(expression, point);
    CHECK(first.value() == at<double>(expression, point));
    CHECK(second.value() == first.value());
    // A derivative may be a sum of larger terms of opposite sign; the largest of its order says how large.
    double largest_first = 0, largest_second = 0;
    for (const double entry : row["first"]) largest_first = std::max(largest_first, std::abs(entry));
    for (const double entry : row["second"]) largest_second = std::max(largest_second, std::abs(entry));
    for (std::size_t j = 0, p = 0; j < 4; ++j) {
      CHECK(second.first(j) == first.first(j));
      close(first.first(j), row["first"][j], largest_first);
      for (std::size_t k = 0; k <= j; ++k, ++p) {
        close(second.second(j, k), row["second"][p], largest_second);
        CHECK(second.second(k, j) == second.second(j, k));
      }
    }
  }
}

TEST_CASE("expression: blanks, tabs and new lines between its words mean nothing", "[sim][field]") {
  CHECK(at<double>("\t( x\n + 2 * y )\r\n ^ 2 ", {3, 0.5, 0, 0}) == 16);
}

TEST_CASE("expression: a power of a negative number has its real value, if there is one", "[sim][field]") {
  const std::array<double, 4> point{-2, 3, 0.7, 0};
  CHECK(at<double>("x^y", point) == -8);
  CHECK(at<double>("x^-3", point) == -0.125);
  CHECK(at<double>("(-1)^(1e9 + 1)", point) == -1);
  CHECK(std::isnan(at<double>("x^z", point)));
  CHECK(std::isnan(at<double>("x^0.5", point)));
  const auto power = at<Jet<3, 2>>("x^y", point);  // its exponent may not vary
  CHECK(power.first(0) == 12);
  CHECK(power.second(0, 0) == -12);
  CHECK(std::isnan(power.first(1)));
  CHECK(std::isnan(power.second(0, 1)));
  CHECK(power.first(2) == 0);
}

TEST_CASE("expression: where there is no derivative it is not finite", "[sim][field]") {
  const std::array<double, 4> origin{0, 0, 0, 0};
  CHECK(std::isnan(at<Jet<3, 1>>("sqrt(x^2 + y^2)", origin).first(0)));  // the tip of a cone
  CHECK(std::isinf(at<Jet<3, 1>>("y + sqrt(x)", origin).first(0)));
  CHECK(at<Jet<3, 1>>("y + sqrt(x)", origin).first(1) == 1);
  CHECK(at<Jet<3, 2>>("y*sqrt(x)", origin).second(1, 1) == 0);
  CHECK(std::isinf(at<Jet<3, 2>>("x^1.5", origin).second(0, 0)));
  CHECK(at<Jet<3, 2>>("x^1.5", origin).first(0) == 0);
  for (const int k : {0, 1, 2, 3}) {
    const auto power = at<Jet<3, 2>>("x^" + std::to_string(k), origin);  // whole powers have all derivatives
    CHECK(power.value() == (k == 0));
    CHECK(power.first(0) == (k == 1));
    CHECK(power.second(0, 0) == 2 * (k == 2));
  }
}

TEST_CASE("expression: without a finite value it has no derivatives either", "[sim][field]") {
  for (const char* expression : {"y + ln(x)", "y + sqrt(x)", "y + asin(x - 1)", "y + 1/(x + 1)", "y + exp(-1000*x)",
                                 "y + ln(t)", "y + x^0.5", "y + (-8)^(1/3)"}) {
    CAPTURE(expression);
    const auto jet = at<Jet<3, 2>>(expression, {-1, 2, 0, -1});
    CHECK_FALSE(std::isfinite(jet.value()));
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(std::isnan(jet.first(j)));
      for (std::size_t k = 0; k < 3; ++k) CHECK(std::isnan(jet.second(j, k)));
    }
  }
}

TEST_CASE("expression: what is written wrong is rejected with its place and what belongs there",
          "[sim][field][error]") {
  struct Bad {
    const char *expression, *complaint;
  };
  for (const Bad& bad : {Bad{"2 x",
                             "'2 x', character 3: must be a valid expression, got 'x' where "
                             "an operator or the end belongs; use x, y, z, t, pi, e, + - * / ^ ( ) and sin cos "
                             "tan asin acos atan sinh cosh tanh exp ln log log2 log10 sqrt pow"},
                         {"x**2", "character 3: must be a valid expression, got '*' where a number"},
                         {"2e", "character 2"},
                         {"2i", "character 2"},
                         {"1.5.2", "character 4"},
                         {".", "unknown '.'"},
                         {"1e400", "must have numbers from 1e-308 to 1e308, got 1e400"},
                         {"1e-400", "must have numbers from 1e-308 to 1e308, got 1e-400"},
                         {"(x", "got its end where an operator or ')' belongs"},
                         {"x)(", "got ')' where an operator or the end belongs"},
                         {"()", "got ')' where a number, a name or '(' belongs"},
                         {"sin(x, y)", "got a comma where an operator or ')' belongs"},
                         {"pow(x)", "got ')' where an operator or a comma belongs"},
                         {"exp^2(x)", "got '^' where '(' belongs"},
                         {"x # y", "character 3: must be a valid expression, got unknown '#'"},
                         {"x·y", "character 2: must be a valid expression, got unknown '·'"},
                         {"x\a", "unknown the control character 7"},
                         {"atan2(x, y)", "character 1: must be smooth, because its derivative is needed everywhere"}}) {
    CAPTURE(bad.expression);
    CHECK_THROWS_AS(compile_expression(bad.expression), InvalidArgument);
    CHECK_THROWS_WITH(compile_expression(bad.expression), Catch::Contains(bad.complaint));
  }
  CHECK_THROWS_AS(compile_expression(std::string("x\0", 2)), InvalidArgument);
}

TEST_CASE("expression: whatever its depth and length, it is understood or rejected", "[sim][field][error]") {
  const std::array<double, 4> point{0.5, 0, 0, 0};
  const auto nested = [](const std::string& before, int depth) {
    return repeated(before, depth) + "x" + repeated(")", depth);
  };
  CHECK(at<double>(nested("(", 200), point) == 0.5);
  CHECK(at<double>(nested("0.5*(x + ", 200), point) == Approx(0.5));
  for (const std::string before : {"(", "sin(", "x^(", "-(", "2/(1 + ", "pow(x, "}) {
    CAPTURE(before);
    CHECK_THROWS_WITH(compile_expression(nested(before, 1000)),
                      Catch::Contains("must not nest parentheses and powers more than 256 deep"));
    CHECK_THROWS_AS(compile_expression(repeated(before, 1000)), InvalidArgument);
  }
  CHECK_THROWS_WITH(compile_expression("x" + repeated("^x", 1000)), Catch::Contains("more than 256 deep"));
  CHECK(at<double>(repeated("-", 9000) + "x", point) == 0.5);
  CHECK(at<double>("x" + repeated(" + x", 2000), point) == 1000.5);
  CHECK_THROWS_WITH(compile_expression("x" + repeated(" + x", 1'000'000)),
                    Catch::Contains("must have at most 10000 characters, got 4000001"));
  // A message shows what is around the place of a long expression.
  CHECK_THROWS_WITH(compile_expression(repeated("x + ", 1000) + "q" + repeated(" + x", 1000)),
                    Catch::Contains("…x + x + ") && Catch::Contains(" + q + ") && Catch::Contains("character 4001") &&
                        !Catch::Contains(repeated("x + ", 30)));
}
