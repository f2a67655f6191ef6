#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/field/expression_program.hpp"

namespace pithball::sim {

class Settings;

/// A function U(r) of one distance, written as an expression in r [m] of the kind that `AnalyticField` knows. U' and
/// U'' are those of the expression, exact to rounding. Where the expression has no real value, all are NaN.
class RadialExpression {
 public:
  /// U, U' and U'' at a distance.
  struct Jet {
    double value, slope, curvature;
  };

  /// Throws InvalidArgument naming the expression, the position in it and what is known, if it cannot be understood.
  explicit RadialExpression(std::string expression);

  const std::string& expression() const { return expression_; }
  double value(double r) const;
  double slope(double r) const;
  Jet jet(double r) const;

  // At many distances in one call, which is faster; `out` is as long as `r`.
  void compute_values(std::span<const double> r, std::span<double> out) const;
  void compute_slopes(std::span<const double> r, std::span<double> out) const;
  void compute_jets(std::span<const double> r, std::span<Jet> out) const;

 private:
  std::string expression_;
  ExpressionProgram program_;
};

/// An expression in r [m] whose value has this unit.
std::shared_ptr<const RadialExpression> ask_radial(Settings& settings, std::string_view key, std::string_view unit,
                                                   std::string_view meaning);

}  // namespace pithball::sim
