#pragma once
#include <array>
#include <string>

#include "sim/field/expression_program.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A field written as three expressions in x, y, z [m] and t [s], for example {"-y", "x", "0.1*sin(2*pi*t)"}.
///
/// Available: + − * / ^, parentheses, pi, e and the functions sin cos tan asin acos atan sinh cosh tanh exp ln log
/// (both natural) log2 log10 sqrt pow(base, exponent). The spatial derivative is that of the expression, exact to
/// rounding; hence everything available is smooth, and abs, min, max, comparisons and conditionals are rejected. Where
/// an expression has no real value (ln(-1)), the field is NaN; so are derivatives where the value is not finite or
/// there is no derivative; an infinite one (of sqrt at 0) is infinite.
class AnalyticField final : public VectorField {
 public:
  /// Throws InvalidArgument with the expression, the position of the error and what is available, if one cannot be
  /// parsed.
  explicit AnalyticField(std::array<std::string, 3> expressions);

  Vec3 value(const Vec3& x, double t) const override;
  Mat3 jacobian(const Vec3& x, double t) const override;
  void add_course(double from, double to, TimeCourse&) const override;

  /// The three expressions.
  const std::array<std::string, 3>& expressions() const { return expressions_; }

 private:
  void compute_values(const double* points, Index count, double t, double* values) const override;
  void compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const override;

  std::array<std::string, 3> expressions_;
  std::array<ExpressionProgram, 3> programs_;
};

}  // namespace pithball::sim
