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

  struct Angle {
    std::array<Index, Corners> particles;
    double weight = 0;  ///< w_a
    double rest = 0;    ///< θ₀ [rad], in the measure of the law
    /// |∂θ/∂x| of each corner across the sides at rest, with its sign [1/m].
    Eigen::Matrix<double, Corners, 1> lever = {};
  };

  const std::vector<Angle>& angles() const { return angles_; }
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void add_position_blocks(const Model&, const State&, double scale, bool definite, BlockMatrix& J) const override;
  std::vector<Spring> couplings() const override;
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  void add_negative_curvature_bound(const Model&, const State&, Vector& bound) const override;

 protected:
  /// k ≥ 0 in `unit`.
  BendingForce(double stiffness, std::string unit, std::vector<Angle> angles)
      : stiffness_(stiffness), unit_(std::move(unit)), angles_(std::move(angles)) {}

  /// The same angles in a model with other particles (`Model::with_particles`), which has all of theirs.
  void renumber(const std::vector<ParticleOrigin>& origins);

 private:
  virtual double energy_of(const Angle&, const Places& x) const = 0;    ///< u
  virtual Places gradient_of(const Angle&, const Places& x) const = 0;  ///< ∂u/∂x [1/m]
  virtual Matrix hessian_of(const Angle&, const Places& x) const = 0;   ///< ∂²u/∂x² [1/m²], symmetric
  virtual bool is_defined(const Angle&, const Places& x) const = 0;     ///< no side is of length 0, no face of area 0
  double stiffness(const Model&) const;

  double stiffness_;  // as declared; afterwards the model's values count
  std::string unit_;
  std::vector<Angle> angles_;
  Index block_ = 0;
};

extern template class BendingForce<3>;
extern template class BendingForce<4>;

}  // namespace pithball::sim
