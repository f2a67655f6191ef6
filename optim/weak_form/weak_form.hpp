#pragma once
#include <Eigen/SparseCore>
#include <vector>

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

}  // namespace pithball::optim
