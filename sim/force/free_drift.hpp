#pragma once
#include <string>

#include "sim/core/types.hpp"

namespace pithball::sim {

class Model;

/// Ability of a force under which each particle drifts freely,
///    F_i(x, v, t) = f_i(t) − c_i (v − u(t)),
/// the same wherever the particle is, so that random impulses of a medium add a Brownian motion to the motion without
/// them. It is an interface of its own, and not one of `ForceAbilities`: no integrator needs it, and a force on some
/// particles alone does not have it.
class DriftsFreely {
 public:
  virtual ~DriftsFreely() = default;
  /// Whether f, c and u are the same everywhere: not those of a field that varies in space.
  virtual bool is_uniform() const { return true; }
  /// Adds c_i [kg/s], N; forces without drag add nothing.
  virtual void add_drag_coefficient(const Model&, Vector& c) const {}
};

/// Why particles of a model do not drift freely, in a clause ("the force coulomb is not one that is the same for all
/// places and linear in velocity"); empty if they do: all forces have the ability, nothing is held or constrained, and
/// no value has key frames.
std::string find_hindrance(const Model& model);

/// Sum of the drag coefficients c_i [kg/s] of a model whose particles drift freely, N.
Vector drag_coefficients(const Model& model);

}  // namespace pithball::sim
