#pragma once
#include <string>

#include "sim/field/expression_program.hpp"
#include "sim/field/potential_field.hpp"

namespace pithball::sim {

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

}  // namespace pithball::sim
