#pragma once
#include <cmath>
#include <memory>
#include <variant>

#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/force/pair_force.hpp"
#include "sim/kernel/equation_of_state.hpp"
#include "sim/kernel/smoothing.hpp"

namespace pithball::sim {

class Model;

/// Common part of the forces of an SPH fluid: the smoothing kernel and the neighbor pairs.
class FluidPairs {
 public:
  /// The kernel W: either function of q = r/h, each 0 for q ≥ 2.
  using Kernel = std::variant<kernel::CubicSpline, kernel::WendlandC2>;

  /// Length h > 0 [m]; the kernel has the support 2h. dimensions: 3, or 2 for particles in a plane, whose masses are
  /// then per meter normal to it.
  FluidPairs(std::shared_ptr<const NeighborSearch> search, Kernel kernel, double length, int dimensions)
      : search_(std::move(search)), kernel_(kernel), length_(length), dimensions_(dimensions) {}

  /// Reads `smoothing_length`, `kernel`, `dimensions` and the neighbor settings.
  static FluidPairs read(Settings&);

  double length() const { return length_; }       ///< h [m]
  int dimensions() const { return dimensions_; }  ///< 2 or 3

  /// The neighbor pairs at x, found once for all sums of an evaluation.
  PairRows rows(const Points& x) const { return {*search_, x, 2 * length_}; }

  /// Calls visit(i, j, r, W) for each pair of places in these rows, with r = x_i − x_j and the kernel W.
  template <class Visit>
  void visit(const PairRows& rows, Visit visit) const {
    const auto over = [&](const auto& kernel) {
      rows.for_each([&](const PairRow& row) {
        for (std::size_t k = 0; k < row.count; ++k)
          visit(row.i, row.j[k], row.separation(k), kernel(std::sqrt(row.r2[k])));
      });
    };
    std::visit(over, kernel_);
  }

  /// ρ_i = Σ_j m_j W(|x_i − x_j|), including j = i [kg/m³, also in two dimensions, with masses per meter]; N, by place,
  /// like the masses.
  Vector density(const PairRows& rows, const Vector& mass) const;
  /// The same by particle.
  Vector density(const Model&, const Points& x) const;

 private:
  std::shared_ptr<const NeighborSearch> search_;
  Kernel kernel_;
  double length_;
  int dimensions_;
};

/// The viscosity of an SPH fluid: F_i = 2 (d + 2) μ Σ_j m_i m_j/(ρ_i ρ_j) (v_ij·r_ij)/(r_ij² + 0.01 h²) ∇W_ij in d
/// dimensions (Monaghan, Rep. Prog. Phys. 68, 2005, Eqs. 8.7 and 8.9; Cleary 1998), linear in v. It acts along the line
/// between two particles, so that it conserves momentum and angular momentum, and only dissipates energy. Value:
/// `sph_viscosity` μ, one entry [Pa s].
class SphViscosity final : public ForceWith<VelocityFlow> {
 public:
  /// μ ≥ 0 [Pa s].
  SphViscosity(FluidPairs pairs, double viscosity) : pairs_(std::move(pairs)), viscosity_(viscosity) {}

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}
  /// Advances v by the linear flow of all pairs at the state's positions and densities.
  void flow_velocity(const Model&, const State&, double h, Points& v) const override;
  /// ∫F dt of that flow, in which the velocities of free particles change during h [N s].
  void add_flow_impulse(const Model&, const State&, double h, Points& J) const override;

 private:
  FluidPairs pairs_;
  double viscosity_;  // initial value; `Model::values()` has the current one
  Index block_ = 0;
};

/// Reads `sph: {…}` in the list `forces:` and creates the pressure term and, if given, the viscosity term.
std::vector<std::shared_ptr<ForceTerm>> make_sph(Settings&);

/// The pressure of an SPH fluid: U = Σ_i m_i u(ρ_i) with ρ_i = Σ_j m_j W_ij, hence the symmetric force F_i = −m_i Σ_j
/// m_j (P_i/ρ_i² + P_j/ρ_j²) ∇W_ij (Gingold and Monaghan 1977; Monaghan, Rep. Prog. Phys. 68, 2005, Eq. 3.3), which is
/// the exact gradient of U and conserves momentum and angular momentum. Held particles are part of the fluid: layers of
/// them form its walls (Crespo, Gómez-Gesteira, Dalrymple 2007).
class SphPressure final : public ForceTerm {
 public:
  /// P(ρ) and u(ρ): Tait's for a liquid, a polytrope for a gas.
  using EquationOfState = std::variant<kernel::Tait, kernel::Polytropic>;

  /// The pairs of the fluid, and its equation of state.
  SphPressure(FluidPairs pairs, EquationOfState state) : pairs_(std::move(pairs)), equation_(state) {}

  const ForceTraits& traits() const override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}
  std::optional<double> energy(const Model&, const State&) const override;
  /// Time in which sound and the fastest particle cross a smoothing length: h/(c + |v|) (Monaghan 2005, section 5).
  double shortest_time(const Model&, const State&, const Points& a) const override;

 private:
  FluidPairs pairs_;
  EquationOfState equation_;
};

}  // namespace pithball::sim
