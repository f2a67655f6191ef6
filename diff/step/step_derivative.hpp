#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/integrator/integrator.hpp"

namespace pithball::diff {

using sim::Index;
using sim::Points;
using sim::Vector;

/// A change of (state, history), or a loss's derivative with respect to it.
struct StateVariation {
  Points x, v;                  ///< 3×N each
  std::vector<Points> history;  ///< like `sim::History`
};

/// What derivative passes cost.
struct DerivativeCost {
  long force_products = 0;  ///< products with the linearization of all explicit forces (each includes one Coulomb pass)
  long linear_solves = 0, cg_iterations = 0;
  bool reliable = true;  ///< false where a solve with the stage Hessian fell short
};

class StageDerivative;
/// Adds what a stage's solves took.
void add_cost(const StageDerivative& stage, DerivativeCost& cost);

/// The derivative of one integrator's step, the partner in `diff` of an `Integrator` in `sim`. Both directions read the
/// tape that the step left; the start of the history is a step of its own.
class StepDerivative {
 public:
  virtual ~StepDerivative() = default;

  /// For each direction p: carries `d[p]` from the step's beginning to its end, with the change `dvalues.col(p)` of the
  /// physical values.
  virtual void tangent(const sim::Model&, const sim::StepTape&, std::vector<StateVariation>& d,
                       const Eigen::MatrixXd& dvalues, DerivativeCost&) const = 0;
  /// Carries a = ∂L/∂(end of step) back to its beginning and adds ∂L/∂values to `gvalues`.
  virtual void adjoint(const sim::Model&, const sim::StepTape&, StateVariation& a, Vector& gvalues,
                       DerivativeCost&) const = 0;

  /// `tangent` and `adjoint` of `Integrator::start`: fills d.history from d.x, d.v.
  virtual void start_tangent(const sim::Model&, const sim::State&, StateVariation& d, const Vector& dvalues,
                             DerivativeCost&) const {}
  /// Moves a.history into a.x, a.v and gvalues.
  virtual void start_adjoint(const sim::Model&, const sim::State&, StateVariation& a, Vector& gvalues,
                             DerivativeCost&) const {}

  /// Puts on the tape what every pass along it would assemble anew: the Hessians of its stages. Changes no result.
  virtual void keep_hessians(const sim::Model&, sim::StepTape&) const {}
};

/// The partner of the integrator of that name; throws InvalidArgument "not differentiable" listing the integrators that
/// are, and where the model holds tracers, contacts, links that can break, or forces whose motion has no derivative
/// here.
const StepDerivative& step_derivative(const std::string& integrator, const sim::Model& model);

/// Names of all differentiable integrators.
std::vector<std::string> differentiable_integrators();

}  // namespace pithball::diff
