#pragma once
#include <string>

#include "sim/field/expression_pool.hpp"
#include "sim/field/potential_field.hpp"

namespace pithball::sim {

/// A potential written as one expression in x, y, z [m] and t [s] of the kind that `AnalyticField` knows, and the field
/// u = −∇φ.
///
/// The gradient is taken by the complex step, exact to rounding. The second derivatives are central differences of that
/// gradient, of fourth order with a step of 1e-3 (1 m + |x|): a relative error near 1e-11 for what varies over metres.
class AnalyticPotential final : public PotentialField {
 public:
  /// Throws InvalidArgument naming the expression, the position in it and what is known, if it cannot be understood.
  explicit AnalyticPotential(std::string expression);

  double potential(const Vec3& x, double t) const override;
  Vec3 value(const Vec3& x, double t) const override;
  Mat3 jacobian(const Vec3& x, double t) const override;

  bool changes_between(double from, double to) const override { return from != to && knows_time_; }

  const std::string& expression() const { return expression_.expressions().front(); }

 private:
  ExpressionPool expression_;
  bool knows_time_;
};

}  // namespace pithball::sim
