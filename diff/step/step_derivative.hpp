#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/force/variation.hpp"
#include "sim/integrator/integrator.hpp"

namespace pithball::diff {

using sim::Index;
using sim::Panel;
using sim::Points;
using sim::Vector;

/// A loss's derivative with respect to state, history and physical values.
struct StateVariation : sim::Variation {
  std::vector<Points> history;  ///< like `sim::History`
};

/// Changes of state, history and physical values along several directions.
struct StateDirections : sim::Directions {
  std::vector<Panel> history;  ///< like `sim::History`, each P×3N
};

/// Cost of derivative passes.
struct DerivativeCost {
  long force_products = 0;  ///< products with the linearization of all explicit forces (each includes one Coulomb pass)
  long linear_solves = 0,   ///< solves with stage Hessians
      cg_iterations = 0;    ///< iterations of conjugate gradients or GMRES within them
  bool reliable = true;     ///< false after an inaccurate solve with the stage Hessian
};

class StageDerivative;
/// Adds the cost of a stage's solves.
void add_cost(const StageDerivative& stage, DerivativeCost& cost);

/// The derivative of one integrator's step, the counterpart in `diff` of an `Integrator` in `sim`. Both directions read
/// the tape of the step; the start of the history is a separate step.
class StepDerivative {
 public:
  virtual ~StepDerivative() = default;

  /// Propagates groups of directions from the beginning of the step to its end; their values stay.
  virtual void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateDirections>& groups,
                       DerivativeCost&) const = 0;
  /// Propagates each of several gradients, a = ∂L/∂(end of step), back to the beginning of the step, and adds
  /// ∂L/∂values to its values.
  virtual void adjoint(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& a,
                       DerivativeCost&) const = 0;

  /// `tangent` and `adjoint` of `Integrator::start`: fills d.history from the rest of d.
  virtual void start_tangent(const sim::Model&, const sim::State&, StateDirections& d, DerivativeCost&) const {}
  /// Moves a.history into the rest of a.
  virtual void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, DerivativeCost&) const {}

  /// Adds to the tape what every pass would otherwise compute again: the Hessians of its stages and their
  /// preconditioners. Does not change results.
  virtual void keep_stage_matrices(const sim::Model&, sim::StepTape&) const {}
};

/// The derivative of the integrator with this name; throws InvalidArgument "not differentiable" listing the
/// differentiable integrators, and for models with tracers, contacts, breakable links, or forces without derivative.
const StepDerivative& step_derivative(const std::string& integrator, const sim::Model& model);

/// Names of all differentiable integrators.
std::vector<std::string> differentiable_integrators();

}  // namespace pithball::diff
