#pragma once
#include <optional>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// A vector field u(x, t) on space: an electric field [V/m] or a wind [m/s], with its spatial derivative.
/// Evaluation has no side effects; objects may be shared between models and threads.
class VectorField {
 public:
  virtual ~VectorField() = default;
  virtual Vec3 value(const Vec3& x, double t) const = 0;
  /// ∂u_a/∂x_b at (x, t), row a, column b.
  virtual Mat3 jacobian(const Vec3& x, double t) const = 0;
  /// The value everywhere and always, for a uniform field; empty otherwise.
  virtual std::optional<Vec3> uniform_value() const { return {}; }
};

/// The same vector everywhere and always.
class UniformField final : public VectorField {
 public:
  explicit UniformField(const Vec3& value) : value_(value) {}
  Vec3 value(const Vec3&, double) const override { return value_; }
  Mat3 jacobian(const Vec3&, double) const override { return Mat3::Zero(); }
  std::optional<Vec3> uniform_value() const override { return value_; }
 private:
  Vec3 value_;
};

}  // namespace pithball::sim
