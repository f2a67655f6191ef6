#pragma once
#include <string>

#include "sim/field/expression_program.hpp"
#include "sim/field/potential_field.hpp"

namespace pithball::sim {

/// A potential written as one expression in x, y, z [m] and t [s] of the kind that `AnalyticField` knows, and the field
/// u = −∇φ. First and second derivatives are those of the expression, exact to rounding, whatever the length over which
/// it varies.
class AnalyticPotential final : public PotentialField {
 public:
  /// Throws InvalidArgument naming the expression, the position in it and what is known, if it cannot be understood.
  explicit AnalyticPotential(std::string expression);

  double potential(const Vec3& x, double t) const override;
  Vec3 value(const Vec3& x, double t) const override;
  Mat3 jacobian(const Vec3& x, double t) const override;

  bool changes_between(double from, double to) const override { return from != to && program_.reads_variable(3); }

  const std::string& expression() const { return expression_; }

 private:
  void compute_potentials(const double* points, Index count, double t, double* potentials) const override;
  void compute_values(const double* points, Index count, double t, double* values) const override;
  void compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const override;

  std::string expression_;
  ExpressionProgram program_;
};

}  // namespace pithball::sim
