#pragma once
#include <string>

#include "sim/field/expression_pool.hpp"

namespace pithball::sim {

/// A function U(r) of one distance, written as an expression in r [m] of the kind that `AnalyticField` knows.
///
/// U' is taken by the complex step, exact to rounding; U'' by differences of U' of fourth order over steps of 3e-4 r: a
/// relative error near 1e-11 for what varies over lengths like r. Where the expression has no real value, all are NaN.
class RadialExpression {
 public:
  /// U, U' and U'' at a distance.
  struct Jet {
    double value, slope, curvature;
  };

  /// Throws InvalidArgument naming the expression, the position in it and what is known, if it cannot be understood.
  explicit RadialExpression(std::string expression) : expression_({std::move(expression)}, {"r"}) {}

  const std::string& expression() const { return expression_.expressions().front(); }
  double value(double r) const;
  double slope(double r) const;
  Jet jet(double r) const;

 private:
  ExpressionPool expression_;
};

}  // namespace pithball::sim
