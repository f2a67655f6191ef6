#include "sim/field/analytic_field.hpp"

namespace pithball::sim {

AnalyticField::AnalyticField(std::array<std::string, 3> expressions)
    : expressions_({expressions[0], expressions[1], expressions[2]}) {}

Vec3 AnalyticField::value(const Vec3& x, double t) const {
  const ExpressionPool::Loan expression(expressions_);
  Vec3 u;
  for (int a = 0; a < 3; ++a) u[a] = expression(static_cast<std::size_t>(a), {x[0], x[1], x[2], t}).real();
  return u;
}

Mat3 AnalyticField::jacobian(const Vec3& x, double t) const {
  constexpr double h = 1e-30;
  const ExpressionPool::Loan expression(expressions_);
  Mat3 J;
  for (int b = 0; b < 3; ++b) {
    std::array<Complex, 4> arguments{x[0], x[1], x[2], t};
    arguments[static_cast<std::size_t>(b)] += Complex(0, h);
    for (int a = 0; a < 3; ++a) J(a, b) = expression(static_cast<std::size_t>(a), arguments).imag() / h;
  }
  return J;
}

}  // namespace pithball::sim
