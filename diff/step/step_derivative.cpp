#include "diff/step/step_derivative.hpp"

#include "diff/step/embedded_runge_kutta_derivative.hpp"
#include "diff/step/imex_derivative.hpp"
#include "diff/step/implicit_euler_derivative.hpp"
#include "diff/step/leapfrog_derivative.hpp"
#include "diff/step/runge_kutta_derivative.hpp"
#include "diff/step/stage_derivative.hpp"
#include "diff/step/substep_derivative.hpp"
#include "diff/step/symplectic_euler_derivative.hpp"
#include "diff/step/velocity_verlet_derivative.hpp"
#include "diff/step/xpbd_derivative.hpp"
#include "sim/constraint/constraint.hpp"
#include "sim/core/error.hpp"
#include "sim/integrator/embedded_runge_kutta.hpp"

namespace pithball::diff {
namespace {

struct Entry {
  std::string name;
  std::unique_ptr<StepDerivative> derivative;
};

const std::vector<Entry>& registry() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> e;
    // For integrators whose steps may have substeps.
    const auto add = [&](const std::string& name, std::unique_ptr<const StepDerivative> one) {
      e.push_back({name, std::make_unique<SubstepDerivative>(std::move(one))});
    };
    add("imex_euler", std::make_unique<ImexEulerDerivative>());
    add("imex_midpoint", std::make_unique<ImexMidpointDerivative>());
    e.push_back({"imex_bdf2", std::make_unique<ImexBdf2Derivative>()});
    add("imex_adaptive", std::make_unique<ImexMidpointDerivative>());
    add("implicit_euler", std::make_unique<ImplicitEulerDerivative>());
    add("velocity_verlet", std::make_unique<VelocityVerletDerivative>());
    add("symplectic_euler", std::make_unique<SymplecticEulerDerivative>());
    e.push_back({"xpbd", std::make_unique<XpbdDerivative>()});
    e.push_back({"leapfrog", std::make_unique<LeapfrogDerivative>()});
    for (const auto& tableau : sim::runge_kutta_tableaux())
      add(tableau.info.name, std::make_unique<RungeKuttaDerivative>(tableau));
    for (const auto& tableau : sim::embedded_tableaux())
      e.push_back({tableau.info.name, std::make_unique<EmbeddedRungeKuttaDerivative>(tableau)});
    return e;
  }();
  return entries;
}

/// Throws InvalidArgument for a constraint without derivatives, with the reason: either its motion has none, or its
/// class does not implement them.
void require_differentiable(const sim::Constraint& constraint) {
  const auto reject = [&](const std::string& reason, const std::string& remedy) {
    throw InvalidArgument(
        {"", "constraints." + constraint.traits().name, "is not differentiable: " + reason, "", remedy});
  };
  if (constraint.as<sim::BreakableRows>())
    reject("the motion jumps where a link breaks", "omit it, or `max_tension` of links");
  if (constraint.as<sim::DifferentiableRows>()) return;
  if (constraint.as<sim::ContactRows>()) reject("the motion jumps where a contact begins", "omit it");
  reject("it does not have the ability `DifferentiableRows`",
         "omit it, or implement this interface in its class (docs/add_a_constraint.md)");
}

}  // namespace

void add_cost(const StageDerivative& stage, DerivativeCost& cost) {
  cost.linear_solves += stage.linear_solves();
  cost.cg_iterations += stage.cg_iterations();
  cost.reliable = cost.reliable && stage.reliable();
}

std::vector<std::string> differentiable_integrators() {
  std::vector<std::string> names;
  for (const Entry& entry : registry()) names.push_back(entry.name);
  return names;
}

const StepDerivative& step_derivative(const std::string& integrator, const sim::Model& model) {
  if (model.is_tracers())
    throw InvalidArgument(
        {"", "system.tracers", "are not differentiable", "", "simulate them, or leave derivatives out"});
  for (const auto& constraint : model.constraints()) require_differentiable(*constraint);
  for (const auto& term : model.terms())
    if (!term->traits().differentiable)
      throw InvalidArgument({"", "forces." + term->traits().name, "is not differentiable", "",
                             "simulate it, or leave derivatives out; `pithball list forces` says which forces are"});
  for (const Entry& entry : registry())
    if (entry.name == integrator) return *entry.derivative;
  throw InvalidArgument({"", "simulation.integrator",
                         "is not differentiable; must be one of " + joined(differentiable_integrators()), integrator,
                         ""});
}

}  // namespace pithball::diff
