#pragma once
#include <memory>

#include "sim/linear/preconditioner.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// A position of rest: F(x) = 0 on free particles at v = 0, and stable (−∂F/∂x positive definite).
struct Equilibrium {
  bool found = false;
  Points x;             ///< [m]
  int iterations = 0;   ///< Newton steps
  double residual = 0;  ///< largest force left, relative to the largest force that any single term exerts
  std::shared_ptr<const Preconditioner> preconditioner;  ///< of −∂F/∂x, for derivatives
};

/// Finds the equilibrium near the state's positions by Newton's method with line search on the potential energy, held particles staying
/// where they are at the state's time. Every product with ∂F/∂x is the terms' own, so Coulomb forces take part.
/// `found` is false if there is none nearby (a body that floats freely, for example).
/// Throws InvalidArgument if the forces have no potential (a swirling wind), or the model has constraints.
Equilibrium find_equilibrium(const Model& model, const State& near);

/// out = −∂F/∂x in over free particles at v = 0: the stiffness of all forces together, charges included.
void apply_stiffness(const Model& model, const State& at, const Points& in, Points& out);

}  // namespace pithball::sim
