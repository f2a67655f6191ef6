#pragma once
#include <memory>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// The friction rate of each particle in the kicks of a model's thermostats at the time t [1/s], N; 0 for held ones and
/// without thermostats.
Vector friction_rates(const Model&, double t);

/// The model in which an integrator moves particles whose thermostat has friction: as if they had the mass
///   m' = m/b²,   b² = tanh(γh/2)/(γh/2),   and the velocity   w = b v.
/// Between two kicks of h/2 each, which act on v, the motion thus has the displacement of the exact motion with
/// friction: a free particle spreads by D = k_B T/(m γ) and drifts under a constant force with F/(m γ), whatever γh. w
/// is the velocity at which it advances, on which drag and dampers act, and ½ m' w² = ½ m v² is the same energy. This
/// is OVRVO with its rescaled step b h (Sivak, Chodera and Crooks, J. Phys. Chem. B 118, 2014), with h² in the masses
/// instead, so that time keeps its pace and each particle has its own γ. Forces that depend on a mass have the true
/// one.
class HeavyModel {
 public:
  /// Takes the rates of the model at the time t for steps of h [s]; returns whether masses differ from before.
  bool update(const Model& model, double t, double h);
  /// The heavy model, or `model` itself if no thermostat has friction.
  const Model& of(const Model& model) const { return heavy_ ? *heavy_ : model; }
  /// v ← b v, before the motion.
  void slow(Points& v) const;
  /// v ← v/b, after the motion.
  void quicken(Points& v) const;
  /// Forgets the model, before another one is used.
  void clear() { *this = {}; }

 private:
  Vector rates_;    // γ h; empty: none
  Vector slowing_;  // b
  std::unique_ptr<const Model> heavy_;
};

}  // namespace pithball::sim
