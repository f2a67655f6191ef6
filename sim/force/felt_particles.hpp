#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim {

/// The particles on which a field acts, those with a nonzero weight, gathered in contiguous arrays. Others may be
/// outside the domain of the field and need no evaluation.
struct FeltParticles {
  std::vector<Index> particles;  ///< ascending
  Points x;                      ///< their positions [m], one column each

  FeltParticles(const Points& all, const Vector& weight) {
    for (Index i = 0; i < weight.size(); ++i)
      if (weight[i] != 0) particles.push_back(i);
    x = all(Eigen::all, particles);
  }

  /// Calls body(k, i) for each with its column here and its particle index.
  template <class Body>
  void for_each(Body body) const {
    for (std::size_t k = 0; k < particles.size(); ++k) body(k, particles[k]);
  }
};

}  // namespace pithball::sim
