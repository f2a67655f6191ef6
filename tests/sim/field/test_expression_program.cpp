#include <cstring>
#include <random>
#include <thread>

#include "sim/field/analytic_field.hpp"
#include "sim/field/expression_program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

Points random_points(Index n) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> place(-2, 2);
  Points x(3, n);
  for (double& entry : x.reshaped()) entry = place(generator);
  return x;
}

/// Equal to the last bit; all NaNs count as one.
bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

template <class A, class B>
bool all_same(const A& a, const B& b) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      if (!same(a(i, j), b(i, j))) return false;
  return true;
}

/// With every kind of instruction, and NaN at some places.
constexpr const char* rich =
    "exp(-x^2)*sin(3*y + t) - z^-3/(2 + x*y) + ln(x + 1.5)*(2 + x^2)^y + atan(z)*tanh(x) - pow(z, 4)";

}  // namespace

TEST_CASE("expression program: many points in one call are the points one by one, to the last bit", "[sim][field]") {
  const AnalyticPotential potential(rich);
  const AnalyticField field({rich, "cos(x*y)*t", "2"});
  const double t = 0.3;
  for (const Index n : {0, 1, 31, 32, 33, 250}) {
    CAPTURE(n);
    const Points x = random_points(n);
    const Vector phi = potential.potentials(x, t);
    const Points u = potential.values(x, t), e = field.values(x, t);
    const std::vector<Mat3> H = potential.jacobians(x, t), J = field.jacobians(x, t);
    REQUIRE(static_cast<Index>(H.size()) == n);
    Index unknown = 0;
    for (Index i = 0; i < n; ++i) {
      const std::size_t k = i;
      const Vec3 p = x.col(i);
      CAPTURE(i);
      unknown += std::isnan(phi[i]);
      CHECK(same(phi[i], potential.potential(p, t)));
      CHECK(all_same(u.col(i), potential.value(p, t)));
      CHECK(all_same(H[k], potential.jacobian(p, t)));
      CHECK(all_same(e.col(i), field.value(p, t)));
      CHECK(all_same(J[k], field.jacobian(p, t)));
    }
    if (n == 250) CHECK((unknown > 0 && unknown < n));
  }
}

TEST_CASE("expression program: a row of distances is the distances one by one, to the last bit", "[sim][field]") {
  const RadialExpression U("(1 - exp(-3*(r - 1)))^2 + r^-12 + sqrt(r)");
  std::vector<double> r;
  for (int k = 1; k <= 70; ++k) r.push_back(0.1 * k);
  std::vector<double> values(r.size()), slopes(r.size());
  std::vector<RadialExpression::Jet> jets(r.size());
  U.compute_values(r, values);
  U.compute_slopes(r, slopes);
  U.compute_jets(r, jets);
  for (std::size_t k = 0; k < r.size(); ++k) {
    const RadialExpression::Jet jet = U.jet(r[k]);
    CHECK(values[k] == U.value(r[k]));
    CHECK(slopes[k] == U.slope(r[k]));
    CHECK(jets[k].value == jet.value);
    CHECK(jets[k].slope == jet.slope);
    CHECK(jets[k].curvature == jet.curvature);
  }
}

TEST_CASE("expression program: threads share it without a lock", "[sim][field]") {
  const AnalyticPotential potential(rich);
  const Points x = random_points(300);
  const Points want = potential.values(x, 0.3);
  std::array<bool, 8> right{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < right.size(); ++k)
    threads.emplace_back([&, k] {
      right[k] = true;
      for (int i = 0; i < 50; ++i) right[k] = right[k] && all_same(potential.values(x, 0.3), want);
    });
  for (std::thread& thread : threads) thread.join();
  for (const bool r : right) CHECK(r);
}

TEST_CASE("expression program: constant parts are computed once, with the same result", "[sim][field]") {
  const auto at = [](const std::string& expression, double x) {
    const std::array<double, 3> point{x, 0, 0};
    const double t = 0;
    double result = 0;
    compile_expression(expression).evaluate<double>(space_and_time(point.data(), &t), 1, [&](Index, double value) {
      result = value;
    });
    return result;
  };
  for (const char* expression :
       {"-c", "c + 2*pi", "c - e", "c*7", "1/c", "sin(c)", "c^2.5", "2^c^2", "pow(c, c)", "sqrt(c)*(1 + c/3)/7"}) {
    CAPTURE(expression);
    std::string folded, computed;
    for (const char c : std::string(expression)) {
      folded += c == 'c' ? "0.3" : std::string(1, c);
      computed += c == 'c' ? 'x' : c;
    }
    CHECK(at(folded, 99) == at(computed, 0.3));
  }
}
