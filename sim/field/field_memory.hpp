#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// A vector field at some points and one time, with its spatial derivative.
struct FieldLinearization {
  Points x;             ///< the points [m], 3×N
  double t = 0;         ///< the time [s]
  Points u;             ///< u at each of them, 3×N
  std::vector<Mat3> J;  ///< ∂u_a/∂x_b at each of them, N
};

/// Remembers the latest linearizations of a field. Tangents and implicit steps ask for products with it in many
/// directions at the same points, and an expression or a table costs far more than a product. Only the same points, bit
/// by bit, count as known, so that results do not depend on the memory. Threads may share it.
class FieldMemory {
 public:
  /// Not null.
  explicit FieldMemory(std::shared_ptr<const VectorField> field) : field_(std::move(field)) {}

  /// The field's values and derivatives at the points x, 3×N [m], and t [s].
  std::shared_ptr<const FieldLinearization> at(const Points& x, double t) const;

 private:
  std::shared_ptr<const FieldLinearization> find(const Points& x, double t) const;
  void keep(std::shared_ptr<const FieldLinearization> made) const;

  std::shared_ptr<const VectorField> field_;
  mutable std::mutex mutex_;  // of all that follows
  mutable std::vector<std::shared_ptr<const FieldLinearization>> kept_;
  mutable std::size_t oldest_ = 0;
};

}  // namespace pithball::sim
