#include "sim/field/analytic_potential.hpp"

#include <regex>

namespace pithball::sim {
namespace {

Vec3 minus_gradient(const ExpressionPool::Loan& expression, const Vec3& x, double t) {
  constexpr double h = 1e-30;
  Vec3 u;
  for (int a = 0; a < 3; ++a) {
    std::array<Complex, 4> arguments{x[0], x[1], x[2], t};
    arguments[static_cast<std::size_t>(a)] += Complex(0, h);
    u[a] = -expression(0, arguments).imag() / h;
  }
  return u;
}

/// Whether the variable t is among the names of an expression.
bool names_time(const std::string& expression) {
  static const std::regex alone("(^|[^A-Za-z0-9_])t($|[^A-Za-z0-9_])");
  return std::regex_search(expression, alone);
}

}  // namespace

AnalyticPotential::AnalyticPotential(std::string expression)
    : expression_({expression}), knows_time_(names_time(expression)) {}

double AnalyticPotential::potential(const Vec3& x, double t) const {
  return ExpressionPool::Loan(expression_)(0, {x[0], x[1], x[2], t}).real();
}

Vec3 AnalyticPotential::value(const Vec3& x, double t) const {
  return minus_gradient(ExpressionPool::Loan(expression_), x, t);
}

Mat3 AnalyticPotential::jacobian(const Vec3& x, double t) const {
  const ExpressionPool::Loan expression(expression_);
  const double d = 1e-3 * (1 + x.norm());
  Mat3 J;
  for (int b = 0; b < 3; ++b) {
    const Vec3 e = d * Vec3::Unit(b);
    const auto u = [&](double k) { return minus_gradient(expression, x + k * e, t); };
    J.col(b) = (8 * (u(1) - u(-1)) - (u(2) - u(-2))) / (12 * d);
  }
  return (J + J.transpose()) / 2;
}

}  // namespace pithball::sim
