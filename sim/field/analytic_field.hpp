#pragma once
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

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

/// A potential given by one expression in x, y, z [m] and t [s] as in `AnalyticField`, and the field u = −∇φ. First and
/// second derivatives are those of the expression, exact to rounding at any length scale.
class AnalyticPotential final : public PotentialField {
 public:
  /// Throws InvalidArgument with the expression, the position of the error and what is available, if it cannot be
  /// parsed.
  explicit AnalyticPotential(std::string expression);

  double potential(const Vec3& x, double t) const override;
  Vec3 value(const Vec3& x, double t) const override;  ///< u = −∇φ
  Mat3 jacobian(const Vec3& x, double t) const override;

  bool changes_between(double from, double to) const override { return from != to && program_.reads_variable(3); }
  void add_course(double from, double to, TimeCourse& course) const override {
    course.varies = course.varies || changes_between(from, to);
  }

  const std::string& expression() const { return expression_; }  ///< φ, as it was written

 private:
  void compute_potentials(const double* points, Index count, double t, double* potentials) const override;
  void compute_values(const double* points, Index count, double t, double* values) const override;
  void compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const override;

  std::string expression_;
  ExpressionProgram program_;
};

class Settings;

/// A function U(r) of one distance, given by an expression in r [m] as in `AnalyticField`. U' and U'' are those of the
/// expression, exact to rounding. Where the expression has no real value, all are NaN.
class RadialExpression {
 public:
  /// U, U' and U'' at a distance.
  struct Jet {
    double value,   ///< U
        slope,      ///< U′ [unit of U per m]
        curvature;  ///< U″ [unit of U per m²]
  };

  /// Throws InvalidArgument with the expression, the position of the error and what is available, if it cannot be
  /// parsed.
  explicit RadialExpression(std::string expression);

  const std::string& expression() const { return expression_; }  ///< as it was written
  double value(double r) const;                                  ///< U at r [m]
  double slope(double r) const;                                  ///< U′ at r [m]
  Jet jet(double r) const;                                       ///< all three at r [m]

  // At many distances in one call, which is faster; `out` has the length of `r`.
  void compute_values(std::span<const double> r, std::span<double> out) const;  ///< out[k] = U(r[k])
  void compute_slopes(std::span<const double> r, std::span<double> out) const;  ///< out[k] = U′(r[k])
  void compute_jets(std::span<const double> r, std::span<Jet> out) const;       ///< out[k] = U, U′ and U″ at r[k]

 private:
  std::string expression_;
  ExpressionProgram program_;
};

/// Reads an expression in r [m] with a value in this unit.
std::shared_ptr<const RadialExpression> ask_radial(Settings& settings, std::string_view key, std::string_view unit,
                                                   std::string_view meaning);

}  // namespace pithball::sim
