#pragma once
#include <memory>
#include <string>

#include "sim/core/dense.hpp"
#include "sim/linear/conjugate_gradients.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// How a body at rest moves where it resists least.
struct StiffnessModes {
  bool decided = true;      ///< false: the search for the lowest modes did not come to an end
  double lowest = 0;        ///< lowest eigenvalue of S K S, a pure number
  Eigen::MatrixXd softest;  ///< displacements (3N×m) of the modes that share it, each of length 1
  Eigen::MatrixXd loose;    ///< displacements (3N×m) that no force resists, orthonormal; no columns: there are none
  bool unstable() const { return softest.cols() > 0; }
};

/// The stiffness K = −∂F/∂x [N/m] of all forces together at one state, over free particles at v = 0. It is known by its
/// products, in which every force takes part.
///
/// Everything is measured against what each particle feels itself, D_i = Σ over forces of |row i of their own K|
/// [N/m], estimated by products with a few random vectors: K is looked at as S K S with S_i = 1/√D_i, whose eigenvalues
/// are pure numbers of order 1 and below. So an ion in a weak trap counts beside a stiff body.
class Stiffness {
 public:
  Stiffness(const Model& model, const State& at);

  /// D [N/m], N; 0 for a particle whose forces do not depend on where anybody is.
  const Vector& felt() const { return felt_; }
  /// |S f|: forces of all particles on one scale.
  double weigh(const Points& forces) const { return scaled(forces).norm(); }
  /// A step downhill for these forces, and the Newton step where K is positive definite. `noise` is what rounding
  /// leaves of |S f|: along directions that nothing resists less is not followed.
  Points descend(const Points& forces, double noise) const;
  /// The modes at and below zero: eigenvalues of S K S within ±`zero` count as 0.
  StiffnessModes find_modes(double zero) const;

  /// The least x with K x = b, whatever of b acts along the loose modes left out. Returns why it could not be solved;
  /// empty: it was.
  std::string solve(const Points& b, const StiffnessModes& modes, Points& x) const;
  /// The part of b that acts along loose modes, |Ẑᵀ S b| / |S b|: b can be balanced only if it is 0.
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
  Vector felt_, unit_;       ///< D, and √D with a positive number in place of 0
  Spectrum spectrum_;        ///< of S K S over free coordinates, of bodies of few particles; otherwise empty
  std::shared_ptr<const Preconditioner> preconditioner_;  ///< of S K S
};

/// out = −∂F/∂x in over free particles at v = 0 [N], in [m].
void apply_stiffness(const Model& model, const State& at, const Points& in, Points& out);

}  // namespace pithball::sim
