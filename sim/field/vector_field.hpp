#pragma once
#include <optional>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/field/time_course.hpp"

namespace pithball::sim {

/// A vector field u(x, t) on space: an electric field [V/m] or a wind [m/s], with its spatial derivative.
/// Evaluation has no side effects; objects may be shared between models and threads.
class VectorField {
 public:
  virtual ~VectorField() = default;
  virtual Vec3 value(const Vec3& x, double t) const = 0;  ///< u at x [m] and t [s]; not finite where there is none
  /// ∂u_a/∂x_b at (x, t), row a, column b.
  virtual Mat3 jacobian(const Vec3& x, double t) const = 0;
  /// The value of a uniform, constant field; empty otherwise.
  virtual std::optional<Vec3> uniform_value() const { return {}; }
  /// How u varies between two times [s] at fixed positions; unknown by default, thus varying.
  virtual void add_course(double from, double to, TimeCourse& course) const { course.varies = true; }

  /// `value` at each column of x, 3×N: in one call, which is faster for some fields.
  Points values(const Points& x, double t) const {
    Points u(3, x.cols());
    compute_values(x.data(), x.cols(), t, u.data());
    return u;
  }
  /// `jacobian` at each column of x.
  std::vector<Mat3> jacobians(const Points& x, double t) const {
    std::vector<Mat3> J(x.cols());
    compute_jacobians(x.data(), x.cols(), t, J.data());
    return J;
  }

 private:
  // For `count` points whose coordinates are contiguous in memory; a point's result does not depend on the other
  // points.
  virtual void compute_values(const double* points, Index count, double t, double* values) const {
    for (Index i = 0; i < count; ++i)
      Eigen::Map<Vec3>(values + 3 * i) = value(Eigen::Map<const Vec3>(points + 3 * i), t);
  }
  virtual void compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const {
    for (Index i = 0; i < count; ++i) jacobians[i] = jacobian(Eigen::Map<const Vec3>(points + 3 * i), t);
  }
};

/// A uniform, constant vector.
class UniformField final : public VectorField {
 public:
  explicit UniformField(const Vec3& value) : value_(value) {}  ///< u, in any unit
  Vec3 value(const Vec3&, double) const override { return value_; }
  Mat3 jacobian(const Vec3&, double) const override { return Mat3::Zero(); }
  std::optional<Vec3> uniform_value() const override { return value_; }
  void add_course(double, double, TimeCourse&) const override {}

 private:
  Vec3 value_;
};

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
