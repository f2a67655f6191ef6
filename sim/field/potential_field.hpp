#pragma once
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A vector field that is the gradient of a potential, u = −∇φ.
class PotentialField : public VectorField {
 public:
  /// φ(x, t): for an electric field in V.
  virtual double potential(const Vec3& x, double t) const = 0;
  /// Whether φ may differ between the two times [s] at some x.
  virtual bool changes_between(double from, double to) const { return from != to; }

  /// `potential` at each column of x, N: in one call, which is faster for some fields.
  Vector potentials(const Points& x, double t) const {
    Vector phi(x.cols());
    compute_potentials(x.data(), x.cols(), t, phi.data());
    return phi;
  }

 private:
  // For `count` points whose coordinates are contiguous in memory; a point's result does not depend on the other
  // points.
  virtual void compute_potentials(const double* points, Index count, double t, double* potentials) const {
    for (Index i = 0; i < count; ++i) potentials[i] = potential(Eigen::Map<const Vec3>(points + 3 * i), t);
  }
};

}  // namespace pithball::sim
