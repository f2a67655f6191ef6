#pragma once
#include <vector>

#include "sim/model/values.hpp"

namespace pithball::sim {

/// Time-dependent values, as in animation: entries e of one block of `Model::values()` with the value p_ej at key time
/// t_j, interpolated linearly between key times, and constant before the first and after the last,
///    value_e(t) = (1 − w) p_ej + w p_e,j+1,   w = (t − t_j)/(t_{j+1} − t_j) clamped to [0, 1].
/// The p_ej are further entries of the flat vector, one block for each key time, named "charge(2 s)"; so they have
/// gradients and can be fitted like all values. No force then reads the entries themselves.
struct KeyFrames {
  std::vector<Index> entries;  ///< in the flat vector
  std::vector<double> times;   ///< t_j [s], ascending
  Index first_key = 0;         ///< index of p_00 in the flat vector; p_ej follows `count · j` later, in the order of e

  Index count() const { return entries.size(); }  ///< number of entries that change with time
  /// Index of p_ej in the flat vector.
  Index key(Index e, Index j) const { return first_key + j * count() + e; }

  /// Sets the entries of a vector in the layout of the values (values or a change of them) to those at time t [s].
  void interpolate(double t, Vector& values) const;
  /// The transpose: moves ∂L/∂value_e(t) from the entries of a gradient to those of the keys.
  void move_gradient(double t, Vector& gradient) const;
  /// Whether a change of values is nonzero in the entries or keys.
  bool touched_by(const Vector& change) const;

  double largest(const Vector& values, Index e) const;  ///< maximum of p_ej over all j

 private:
  struct Place {
    Index j;   // the key before, or the only one
    double w;  // weight of the next key; 0: only j
  };
  Place place(double t) const;
};

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
