#pragma once
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/weak_form/weak_form.hpp"

namespace pithball::optim {

/// Parameters estimated from recorded motion without a simulation.
struct WeakFormEstimate {
  Vector theta;           ///< P; empty: there is no estimate
  Index half_width = -1;  ///< of the windows that were chosen, in frames
  std::string missing;    ///< why there is none, in a phrase
};

/// A solution of the equations of one half width.
struct WeakFormSolution {
  Vector u;             ///< P, change of θ to first order
  double variance = 0;  ///< s² of the rows
  double ridge = 0;     ///< λ
  /// Mean variance of the entries of u, s² tr((AᵀA + λ)⁻¹)/P, from the inverse itself for up to 64 parameters, beyond
  /// from one vector of random signs.
  double error = 0;
};

/// Minimizes |A u − b|² + λ|u|² with λ = s²/v, s² the variance of the rows and v the mean of u²: the prior under which
/// the parameters are as far from their start as they were found. Both are updated three times, from v = 1 on.
WeakFormSolution solve_weak_form(const WeakFormEquations& equations);

/// Estimates all parameters on which forces depend linearly: with the recorded states in place of simulated ones, the
/// equation of motion in its weak form (`TestFunction`) is a linear least-squares problem in p. Of half widths 0, 1, 3,
/// 7, … the one with the least expected error is taken. Values outside their bounds are put on them, and the others
/// estimated again; a positive value falls at most to a thousandth of its start. Parameters of the initial state and
/// those without effect keep their start. There is no estimate if no recording shows the whole body
/// (`read_recorded_body`), a force is not linear in the parameters or random, a placement or clock is fitted, or bodies
/// have constraints or no inertia.
WeakFormEstimate estimate_by_weak_form(const ParameterMap& map, const std::vector<Observation>& observations);

}  // namespace pithball::optim
