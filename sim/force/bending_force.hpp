#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/force/force_term.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

/// Bending of angles between the sides of a body: U = k Σ_a w_a u(θ_a), with u near (θ − θ₀)²/2, over angles of
/// `Corners` particles each. Laws differ in what the angle is. The value is the bending stiffness k, one entry; weights
/// w_a and rest angles are constants. Implicit in the IMEX integrators.
template <int Corners>
class BendingForce : public ForceWith<StiffPotential> {
 public:
  using Places = Eigen::Matrix<double, 3, Corners>;                ///< a vector for each corner
  using Matrix = Eigen::Matrix<double, 3 * Corners, 3 * Corners>;  ///< of all their components

  /// One angle, with its constants.
  struct Angle {
    /// Three: the corner second; four: the ends of the edge, then the other corners.
    std::array<Index, Corners> particles;
    double weight = 0;  ///< w_a
    double rest = 0;    ///< θ₀ [rad], in the measure of the law
    /// |∂θ/∂x| of each corner across the sides at rest, with its sign [1/m].
    Eigen::Matrix<double, Corners, 1> lever = {};
  };

  /// All angles, in the order of their construction.
  const std::vector<Angle>& angles() const { return angles_; }
  /// The block of the stiffness k in the model's values, after `declare`.
  Index stiffness_block() const { return block_; }
  /// Adds the stiffness k as one block, `NAME_stiffness`, where `NAME` is the name of the force. Throws InvalidArgument
  /// for an angle of a particle that the topology lacks.
  void declare(const Topology&, Values&) override;
  /// Throws InvalidArgument at an angle that is not defined: a side of length 0, a face of area 0, or a side folded
  /// back.
  void validate(const Model&, const State&) const override;
  /// F_i = −k Σ_a w_a ∂u/∂x_i [N].
  void add_force(const Model&, const State&, Points& f) const override;
  /// U = k Σ_a w_a u(θ_a) [J], never empty.
  std::optional<double> energy(const Model&, const State&) const override;
  /// Adds −k w_a times the exact ∂²u/∂x² of each angle along d.x, and −δk w_a ∂u/∂x.
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  /// Adds −k w_a ∂²u/∂x² w to g.x, and the derivative with respect to k to its entry of g.values.
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// A 3×3 block for each pair of corners of each angle; `definite`: without the negative part of each angle's ∂²u/∂x².
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  /// All pairs of corners of each angle.
  std::vector<Spring> couplings() const override;
  /// The form k w_a (Σ_c lever_c n·δ_c)² at rest, as weights between pairs of corners. No bound for shrunken sides.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Adds −k w_a times the lowest eigenvalue of ∂²u/∂x², where it is negative beyond rounding, at each corner [N/m].
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 protected:
  /// k ≥ 0 in `unit`.
  BendingForce(double stiffness, std::string unit, std::vector<Angle> angles)
      : stiffness_(stiffness), unit_(std::move(unit)), angles_(std::move(angles)) {}

  /// Renumbers the angles for a model with other particles (`Model::with_particles`), which contains all particles of
  /// the angles.
  void renumber(const std::vector<ParticleOrigin>& origins);

 private:
  virtual double energy_of(const Angle&, const Places& x) const = 0;    ///< u
  virtual Places gradient_of(const Angle&, const Places& x) const = 0;  ///< ∂u/∂x [1/m]
  virtual Matrix hessian_of(const Angle&, const Places& x) const = 0;   ///< ∂²u/∂x² [1/m²], symmetric
  virtual bool is_defined(const Angle&, const Places& x) const = 0;     ///< no side is of length 0, no face of area 0
  virtual double stiffness(const Model&) const;                         ///< k
  virtual double stiffness_jvp(const Model&, const Vector& dvalues) const;  ///< δk for δvalues
  /// The transpose: adds the contribution of ∂L/∂k to ∂L/∂values to g.
  virtual void add_stiffness_vjp(const Model&, double by_stiffness, Vector& g) const;

  double stiffness_;  // as declared; afterwards the model's values count
  std::string unit_;
  std::vector<Angle> angles_;
  Index block_ = 0;
};

extern template class BendingForce<3>;
extern template class BendingForce<4>;

}  // namespace pithball::sim
