#pragma once
#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/weak_form/body_track.hpp"
#include "optim/weak_form/force_columns.hpp"

namespace pithball::optim {

/// Weights of frames −(W+1) … W+1 about the middle of a window in the weak form of m d²x/dt² = F,
///    Σ_n inertia_n m x_n = Σ_n force_n F_n,   inertia = δ²φ/h²,   force = (1 + δ²/12) φ,
/// with φ_n = (1 − (n/(W+1))²)³ and the second difference δ². By parts these are Numerov's rule for every frame of the
/// window, δ²x = h² (1 + δ²/12) d²x/dt² + O(h⁶), so that the error is of fourth order in the interval h and a motion
/// with constant velocity has no effect. Long windows suppress noise, whose differences are large.
struct TestFunction {
  TestFunction(Index half_width, double interval);     ///< of W >= 0 and h [s]
  Index frames() const { return inertia.size(); }      ///< 2W + 3
  Index stride() const { return (frames() + 1) / 4; }  ///< frames between the middles of two windows
  Vector inertia,                                      ///< [1/s²]
      force;                                           ///< pure numbers
};

/// Least-squares problem min_u Σ |A u − b|² over all windows of one width, u a change of θ to first order, as normal
/// equations. The rows of particle i are divided by m_i σ_i.
struct WeakFormEquations {
  explicit WeakFormEquations(Index parameters);  ///< all sums 0, of P parameters
  Eigen::SparseMatrix<double> normal;            ///< AᵀA, lower triangle, P×P
  Vector right;                                  ///< Aᵀb, P
  double square = 0;                             ///< bᵀb
  Index rows = 0;                                ///< number of rows
};

/// Adds the rows of a recording's windows to the equations for each of these half widths W (one for each of `sums`).
void add_weak_form(const ForceColumns& forces, const RecordedBody& body, const std::vector<Index>& half_widths,
                   std::vector<WeakFormEquations>& sums);

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
