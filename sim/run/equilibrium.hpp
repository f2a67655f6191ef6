#pragma once
#include <memory>
#include <string>

#include "sim/run/stiffness.hpp"

namespace pithball::sim {

/// A position of rest: F(x) = 0 on free particles at v = 0, and stable (no eigenvalue of K = −∂F/∂x is negative).
struct Equilibrium {
  std::string failure;  ///< why there is none, in a phrase; empty: it was found
  Points x;             ///< [m]
  int iterations = 0;   ///< Newton steps
  double residual = 0;  ///< largest force left on a particle, relative to the forces that it feels
  std::shared_ptr<const Stiffness> stiffness;  ///< there, for derivatives
  StiffnessModes modes;

  bool found() const { return failure.empty(); }
  /// Whether the body may go on along some direction and is still at rest: then only its neighborhood tells where.
  bool is_loose() const { return modes.loose.cols() > 0; }
};

/// Finds the equilibrium near the state's positions by Newton's method with line search on the potential energy, held
/// particles staying where they are at the state's time. Every product with ∂F/∂x is the terms' own, so Coulomb forces
/// take part. Without a position of rest nearby, or with an unstable one, `failure` says so and names the motion.
/// Throws InvalidArgument if the forces have no potential (a swirling wind), or the model has constraints.
Equilibrium find_equilibrium(const Model& model, const State& near);

}  // namespace pithball::sim
