#pragma once
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A vector field that is the gradient of a potential, u = −∇φ.
class PotentialField : public VectorField {
 public:
  /// φ(x, t): of an electric field in V.
  virtual double potential(const Vec3& x, double t) const = 0;
  /// Whether φ may be another at one time [s] than at the other, at some x.
  virtual bool changes_between(double from, double to) const { return from != to; }
};

}  // namespace pithball::sim
