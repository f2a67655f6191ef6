#pragma once
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// The particles on which a field acts, those with a nonzero weight, gathered in contiguous arrays. Others may be
/// outside the domain of the field and need no evaluation.
struct FeltParticles {
  std::vector<Index> particles;  ///< ascending
  Points x;                      ///< their positions [m], one column each

  /// Those of `all`, 3×N [m], whose entry of `weight`, N, is not exactly 0.
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

  /// Throws InvalidArgument if the field, named by its key, has no value at one of them.
  void require_values(const VectorField& field, double t, const std::string& key) const {
    const Points u = field.values(x, t);
    for_each([&](Index k, Index i) {
      if (!u.col(k).allFinite())
        throw InvalidArgument(
            {"", key, "must have a value at every charged particle", "no value at particle " + std::to_string(i),
             "move the particle; for a table check `origin`, `axis` and `scale`, or write `outside: linear`"});
    });
  }
};

}  // namespace pithball::sim
