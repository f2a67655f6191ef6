#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

using sim::Points;

/// The effect of a parameter on a free particle.
struct ForceColumn {
  Index parameter = 0;  ///< number in θ
  Index particle = 0;   ///< its number
  double mass = 0;      ///< ∂m/∂θ of the particle [kg]
};

/// On which particles the value of a particle acts.
enum class Reach {
  Own,  ///< on itself, as a charge in an external field
  All,  ///< on all, as a charge among others
};

/// ∂F/∂θ of the forces on a body at given states, without its zeros: the values of a spring act on its ends, those of a
/// particle as far as `Reach` says, and all others on every particle. Parameters that share no particle are one
/// direction of `ForceTerm::add_jvp` (Curtis, Powell & Reid, J. Inst. Math. Appl. 13, 1974), so that the springs of a
/// cloth need about ten directions.
class ForceColumns {
 public:
  /// Derivatives at θ, for the recording with this number. `map` must outlive this object.
  ForceColumns(const ParameterMap& map, const Vector& theta, Index recording, Reach reach = Reach::Own);

  /// By particle, those of one particle by parameter.
  const std::vector<ForceColumn>& columns() const { return columns_; }
  /// Number of all parameters, P, with or without an effect.
  Index parameters() const { return map_.size(); }
  /// The model at θ.
  const sim::Model& model() const { return model_; }
  /// Whether there are no more directions than are worth their time, a hundred: each costs the forces' linearization at
  /// every frame.
  bool is_affordable() const;
  /// The forces F [N], 3×N, and their columns ∂F/∂θ [N], 3×(columns).
  void compute(const sim::State& state, Points& force, Points& column) const;
  /// Why the forces are not F(θ) + ∂F/∂θ slope⁻¹ (p − p(θ)) with these columns, in a phrase; empty if they are, at this
  /// state and for one change of all p by up to 10 % of their size.
  std::string explain_nonlinear(const sim::State& state) const;

 private:
  /// Parameters that share no particle, so that one derivative determines all of them.
  struct Direction {
    Vector values;               ///< change of the model's values
    std::vector<Index> columns;  ///< the columns that it determines
  };
  std::vector<std::vector<Index>> find_particles(Reach reach) const;
  void divide(const std::vector<std::vector<Index>>& particles);

  const ParameterMap& map_;
  Vector theta_;
  Index recording_;
  sim::Model model_;
  std::vector<ForceColumn> columns_;
  std::vector<Direction> directions_;
};

/// The columns with the smallest reach with which forces are linear at this state; empty, with the reason, if there are
/// none.
std::optional<ForceColumns> find_columns(const ParameterMap& map, const Vector& theta, Index recording,
                                         const sim::State& state, std::string& missing);

}  // namespace pithball::optim
