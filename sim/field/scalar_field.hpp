#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// A scalar field φ(x) on space with its first two derivatives: a potential [V]. Evaluation has no side effects;
/// objects may be shared between models and threads.
class ScalarField {
 public:
  /// Value and derivatives at a point.
  struct Jet {
    double value = 0;              ///< φ
    Vec3 gradient = Vec3::Zero();  ///< ∇φ
    Mat3 hessian = Mat3::Zero();   ///< ∂²φ/∂x_a∂x_b
  };
  virtual ~ScalarField() = default;
  virtual Jet at(const Vec3& x) const = 0;  ///< φ, ∇φ and ∂²φ at x [m]
  /// Whether φ is known at x; elsewhere `at` returns an extrapolation.
  virtual bool contains(const Vec3& x) const = 0;
};

}  // namespace pithball::sim
