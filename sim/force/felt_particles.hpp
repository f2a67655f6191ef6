#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// The particles that feel a field, those of a weight other than 0, side by side. Others may be where the field is not
/// known, and are not worth its evaluation.
struct FeltParticles {
  std::vector<Index> particles;  ///< ascending
  Points x;                      ///< where they are [m], a column for each

  FeltParticles(const Points& all, const Vector& weight) {
    for (Index i = 0; i < weight.size(); ++i)
      if (weight[i] != 0) particles.push_back(i);
    x = all(Eigen::all, particles);
  }

  /// Calls body(k, i) for each: its column here, and which particle it is.
  template <class Body>
  void for_each(Body body) const {
    for (std::size_t k = 0; k < particles.size(); ++k) body(k, particles[k]);
  }
};

}  // namespace pithball::sim
