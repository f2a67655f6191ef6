#pragma once
#include <memory>
#include <string>

#include "sim/core/dense.hpp"
#include "sim/linear/krylov_solvers.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The softest modes of a body at equilibrium.
struct StiffnessModes {
  bool decided = true;      ///< false: the search for the lowest modes did not converge
  double lowest = 0;        ///< lowest eigenvalue of S K S, dimensionless
  Eigen::MatrixXd softest;  ///< displacements (3N×m) of its modes, each of length 1
  Eigen::MatrixXd loose;    ///< displacements (3N×m) without restoring force, orthonormal; no columns: none
  bool unstable() const { return softest.cols() > 0; }  ///< whether a mode has a negative eigenvalue
};

/// The stiffness K = −∂F/∂x [N/m] of all forces at one state, over free particles at v = 0, given by its products with
/// vectors.
///
/// K is scaled by the stiffness of each particle, D_i = Σ over forces of |row i of their own K| [N/m], estimated by
/// products with a few random vectors: S K S with S_i = 1/√D_i has dimensionless eigenvalues of order 1 and below. So
/// an ion in a weak trap counts as much as a stiff body.
class Stiffness {
 public:
  /// At a state with velocities 0; copies both. Estimates D, and factorizes the preconditioner of S K S.
  Stiffness(const Model& model, const State& at);

  /// D [N/m], N; 0 for a particle whose forces do not depend on any position.
  const Vector& felt() const { return felt_; }
  /// |S f|: forces of all particles on a common scale.
  double weigh(const Points& forces) const { return scaled(forces).norm(); }
  /// A descent step for these forces, which is the Newton step if K is positive definite. `noise`: rounding of |S f|;
  /// directions with less resistance are not followed.
  Points descend(const Points& forces, double noise) const;
  /// The modes at and below zero: eigenvalues of S K S within ±`zero` count as 0.
  StiffnessModes find_modes(double zero) const;

  /// The smallest x with K x = b, ignoring components of b along the loose modes. Returns why it could not be solved;
  /// empty on success.
  std::string solve(const Points& b, const StiffnessModes& modes, Points& x) const;
  /// The fraction of b along loose modes, |Ẑᵀ S b| / |S b|: b can be balanced only if it is 0.
  double part_along(const Points& b, const Eigen::MatrixXd& loose) const;

 private:
  void measure();
  void factorize();
  Points scaled(const Points& points) const;    ///< S p
  Points unscaled(const Points& points) const;  ///< S⁻¹ p
  void multiply_scaled(const Points& in, Points& out) const;
  Eigen::MatrixXd multiply_scaled(const Eigen::MatrixXd& free) const;
  Points spread(const Vector& free) const;
  Vector gather(const Points& points) const;
  Eigen::MatrixXd displacements(const Eigen::MatrixXd& free) const;
  Eigen::MatrixXd loose_scaled(const Eigen::MatrixXd& loose) const;
  Spectrum lowest_pairs(double zero, bool& decided) const;
  const Preconditioner& preconditioner() const { return *preconditioner_; }

  Model model_;
  State at_;
  std::vector<Index> free_;  ///< coordinates of free particles
  Vector felt_, unit_;       ///< D, and √D with a positive number replacing 0
  Spectrum spectrum_;        ///< of S K S over free coordinates, for bodies with few particles; otherwise empty
  std::shared_ptr<const Preconditioner> preconditioner_;  ///< of S K S
};

/// out = −∂F/∂x in over free particles at v = 0 [N], in [m].
void apply_stiffness(const Model& model, const State& at, const Points& in, Points& out);

}  // namespace pithball::sim
