#include "sim/field/radial_expression.hpp"

namespace pithball::sim {
namespace {

/// Im U(r + ih)/h with h so small that h² is nothing.
double complex_step(const ExpressionPool::Loan& expression, double r) {
  constexpr double h = 1e-30;
  return expression(0, {Complex(r, h)}).imag() / h;
}

}  // namespace

double RadialExpression::value(double r) const { return ExpressionPool::Loan(expression_)(0, {Complex(r)}).real(); }

double RadialExpression::slope(double r) const { return complex_step(ExpressionPool::Loan(expression_), r); }

RadialExpression::Jet RadialExpression::jet(double r) const {
  const ExpressionPool::Loan expression(expression_);
  const double d = 3e-4 * r;
  const auto at = [&](int k) { return complex_step(expression, r + k * d); };
  return {expression(0, {Complex(r)}).real(), at(0), (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * d)};
}

}  // namespace pithball::sim
