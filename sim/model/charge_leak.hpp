#pragma once
#include "sim/model/values.hpp"

namespace pithball::sim {

/// Charges that leak away: q_i(t) = q_i e^{−γt}, with q_i the charge at t = 0, the entry in `Model::values()`, and the
/// leak rate γ [1/s], a further entry; γ = 1/τ for a time constant τ, and 0 for charges that stay. All forces then use
/// q_i(t).
struct ChargeLeak {
  Index rate;     ///< γ in the flat vector
  Index charges;  ///< the first charge in the flat vector
  Index count;    ///< number of charges

  /// Sets the charges in the values to those at time t [s].
  void apply(double t, Vector& values) const;
  /// Sets the charges in a change of these values to the change at time t: δq(t) = e^{−γt} (δq − t q δγ).
  void apply_to_change(double t, const Vector& values, Vector& change) const;
  /// The transpose: from ∂L/∂q(t) at the charges of a gradient to ∂L/∂q there, adding ∂L/∂γ.
  void move_gradient(double t, const Vector& values, Vector& gradient) const;
  /// Whether a change of values is nonzero in the charges or the rate.
  bool touched_by(const Vector& change) const;

 private:
  double remaining(double t, const Vector& values) const;
};

}  // namespace pithball::sim
