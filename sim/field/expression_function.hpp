#pragma once
#include <span>

#include "sim/field/jet.hpp"

namespace pithball::sim {

/// A function of one number available in expressions. Outside its real domain its value is NaN.
struct ExpressionFunction {
  const char* name;                          ///< as in an expression: "sin"
  double (*value)(double x);                 ///< f(x); NaN outside the domain
  Slopes (*slopes)(double x, double value);  ///< given f(x); in the domain only
};

/// All of them, in the order of messages.
std::span<const ExpressionFunction> expression_functions();

/// f(x).
inline double apply(const ExpressionFunction& f, double x) { return f.value(x); }

/// f(x) with its derivatives.
template <int Directions, int Order>
Jet<Directions, Order> apply(const ExpressionFunction& f, const Jet<Directions, Order>& x) {
  const double value = f.value(x.value());
  return compose(x, value, f.slopes(x.value(), value));
}

}  // namespace pithball::sim
