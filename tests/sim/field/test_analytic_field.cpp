#include "sim/field/analytic_field.hpp"

#include <cmath>
#include <functional>
#include <numbers>
#include <thread>

#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using sim::AnalyticField;
using sim::Mat3;
using sim::Vec3;

namespace {

struct Case {
  const char* expression;
  std::function<double(double x, double y)> value;
  double x, y;
};

/// Everything that is offered, at negative coordinates wherever it has a value there.
const std::vector<Case> cases{
    {"sin(x)", [](double x, double) { return std::sin(x); }, -2, 0.5},
    {"cos(x)", [](double x, double) { return std::cos(x); }, -2, 0.5},
    {"tan(x)", [](double x, double) { return std::tan(x); }, -2, 0.5},
    {"asin(x)", [](double x, double) { return std::asin(x); }, -0.7, 0.5},
    {"acos(x)", [](double x, double) { return std::acos(x); }, -0.7, 0.5},
    {"atan(x)", [](double x, double) { return std::atan(x); }, -2, 0.5},
    {"sinh(x)", [](double x, double) { return std::sinh(x); }, -2, 0.5},
    {"cosh(x)", [](double x, double) { return std::cosh(x); }, -2, 0.5},
    {"tanh(x)", [](double x, double) { return std::tanh(x); }, -2, 0.5},
    {"exp(x)", [](double x, double) { return std::exp(x); }, -2, 0.5},
    {"ln(-x)", [](double x, double) { return std::log(-x); }, -2, 0.5},
    {"log(x^2)", [](double x, double) { return std::log(x * x); }, -2, 0.5},
    {"log2(-x)", [](double x, double) { return std::log2(-x); }, -2, 0.5},
    {"log10(-x)", [](double x, double) { return std::log10(-x); }, -2, 0.5},
    {"sqrt(-x)", [](double x, double) { return std::sqrt(-x); }, -2, 0.5},
    {"x^2", [](double x, double) { return x * x; }, -2, 0.5},
    {"-x^2", [](double x, double) { return -x * x; }, -2, 0.5},
    {"x^3", [](double x, double) { return x * x * x; }, -2, 0.5},
    {"x^-2", [](double x, double) { return 1 / (x * x); }, -2, 0.5},
    {"x^(-3)", [](double x, double) { return 1 / (x * x * x); }, -2, 0.5},
    {"(x*y)^2", [](double x, double y) { return x * x * y * y; }, -2, -0.5},
    {"pow(x, 3)", [](double x, double) { return x * x * x; }, -2, 0.5},
    {"pow(y, 0.3)", [](double, double y) { return std::pow(y, 0.3); }, -2, 0.5},
    {"x^2.5", [](double x, double) { return std::pow(x, 2.5); }, 2, 0.5},
    {"2^x", [](double x, double) { return std::pow(2, x); }, -2, 0.5},
    {"y^x", [](double x, double y) { return std::pow(y, x); }, -2, 0.5},
    {"x/y - y/x", [](double x, double y) { return x / y - y / x; }, -2, -0.5},
    {"2^3^2*x", [](double x, double) { return 512 * x; }, -2, 0.5},
    {"1e-3*x + e*pi", [](double x, double) { return 1e-3 * x + std::numbers::e * std::numbers::pi; }, -2, 0.5},
    {"1/sqrt(x^2+y^2)", [](double x, double y) { return 1 / std::hypot(x, y); }, -2, -0.5},
};

}  // namespace

TEST_CASE("analytic field: values and derivatives of everything offered agree with differences", "[sim][field][fd]") {
  for (const Case& c : cases) {
    CAPTURE(c.expression);
    const AnalyticField field({c.expression, "0", "z"});
    const Vec3 x(c.x, c.y, -3);
    CHECK(field.value(x, 0)[0] == Approx(c.value(c.x, c.y)).epsilon(1e-14));  // rounding of a few operations
    const Mat3 J = field.jacobian(x, 0);
    const double d = 1e-5;  // truncation d² times a third derivative below 100, rounding 1e-16/d: both below 1e-7
    const double along_x = (c.value(c.x + d, c.y) - c.value(c.x - d, c.y)) / (2 * d);
    const double along_y = (c.value(c.x, c.y + d) - c.value(c.x, c.y - d)) / (2 * d);
    REQUIRE(std::abs(along_x) + std::abs(along_y) > 1e-4);
    CHECK(J(0, 0) == Approx(along_x).margin(1e-7));
    CHECK(J(0, 1) == Approx(along_y).margin(1e-7));
    CHECK(J(0, 2) == 0);
    CHECK(J.row(1).norm() == 0);
    CHECK(J.row(2) == Eigen::RowVector3d(0, 0, 1));
  }
}

TEST_CASE("analytic field: the derivative of a polynomial at a negative point is exact", "[sim][field]") {
  const AnalyticField field({"x^2", "x^3*y", "x*y*z"});
  const Mat3 J = field.jacobian(Vec3(-2, 3, -5), 0);
  CHECK(J(0, 0) == -4);
  CHECK(J(1, 0) == Approx(36).epsilon(1e-15));
  CHECK(J(1, 1) == Approx(-8).epsilon(1e-15));
  CHECK((J.row(2) - Eigen::RowVector3d(-15, 10, -6)).norm() < 1e-13);  // rounding
}

TEST_CASE("analytic field: depends on time and has no potential", "[sim][field]") {
  const AnalyticField field({"t", "sin(2*pi*t)", "x*t"});
  CHECK((field.value(Vec3(3, 0, 0), 0.25) - Vec3(0.25, 1, 0.75)).norm() < 1e-15);
}

TEST_CASE("analytic field: without a real value it is NaN, at a pole infinite", "[sim][field]") {
  const AnalyticField field({"ln(x)", "x^0.5", "1/z"});
  const Vec3 u = field.value(Vec3(-1, 0, 0), 0);
  CHECK(std::isnan(u[0]));
  CHECK(std::isnan(u[1]));
  CHECK_FALSE(std::isfinite(u[2]));
}

TEST_CASE("analytic field: threads may evaluate one field at once", "[sim][field]") {
  const AnalyticField field({"x^2 + t", "sin(x)*y", "exp(-z^2)"});
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < right.size(); ++k)
    threads.emplace_back([&, k] {
      right[k] = true;
      for (int i = 0; i < 500; ++i) {
        const double x = -1.0 - 0.01 * i - k;
        const double slope = field.jacobian(Vec3(x, 2, 0), 1)(0, 0);
        // multiplying and dividing by h rounds
        right[k] = right[k] && field.value(Vec3(x, 2, 0), 1)[0] == x * x + 1 && std::abs(slope - 2 * x) < 1e-14;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (bool r : right) CHECK(r);
}

TEST_CASE("analytic field: an expression that cannot be used is rejected with its place", "[sim][field][error]") {
  struct Bad {
    const char *expression, *complaint;
  };
  for (const Bad& bad : std::vector<Bad>{{"abs(x)", "'abs'"},
                                         {"1 + min(x, y)", "character 5"},
                                         {"max(x,0)", "smooth"},
                                         {"x < 0", "'<'"},
                                         {"x > 0 ? 1 : 2", "'>'"},
                                         {"if(x,1,2)", "'if'"},
                                         {"x == 1", "'='"},
                                         {"floor(x)", "'floor'"},
                                         {"real(x)", "'real'"},
                                         {"2*q", "'q'"},
                                         {"foo(x)", "'foo'"},
                                         {"x*(y+", "x*(y+"},
                                         {"3 x", "character 3"},
                                         {"x,y", "comma"},
                                         {"", "field expression ''"},
                                         {"sin x", "field expression"},
                                         {"sin()", "field expression"},
                                         {"x)", "character 2"},
                                         {"[1,2]", "field expression"},
                                         {"{1,2}", "field expression"},
                                         {"\"a\"", "field expression"},
                                         {"i*x", "'i"},
                                         {"X", "use x, y, z, t"},
                                         {"pow(x)", "field expression"}}) {
    CAPTURE(bad.expression);
    CHECK_THROWS_AS(AnalyticField({"0", bad.expression, "x"}), InvalidArgument);
    CHECK_THROWS_WITH(AnalyticField({"0", bad.expression, "x"}), Catch::Contains(bad.complaint));
  }
}
