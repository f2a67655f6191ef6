#include "diff/step/substep_derivative.hpp"

#include <ranges>

namespace pithball::diff {

void SubstepDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  if (tape.substeps.empty()) return inner_->tangent(model, tape, groups, cost);
  for (const sim::StepTape& substep : tape.substeps) inner_->tangent(model, substep, groups, cost);
}

void SubstepDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& a,
                                DerivativeCost& cost) const {
  if (tape.substeps.empty()) return inner_->adjoint(model, tape, a, cost);
  for (const sim::StepTape& substep : std::views::reverse(tape.substeps)) inner_->adjoint(model, substep, a, cost);
}

void SubstepDerivative::start_tangent(const sim::Model& model, const sim::State& s, StateDirections& d,
                                      DerivativeCost& cost) const {
  inner_->start_tangent(model, s, d, cost);
}

void SubstepDerivative::start_adjoint(const sim::Model& model, const sim::State& s, StateVariation& a,
                                      DerivativeCost& cost) const {
  inner_->start_adjoint(model, s, a, cost);
}

void SubstepDerivative::keep_stage_matrices(const sim::Model& model, sim::StepTape& tape) const {
  if (tape.substeps.empty()) return inner_->keep_stage_matrices(model, tape);
  for (sim::StepTape& substep : tape.substeps) inner_->keep_stage_matrices(model, substep);
}

}  // namespace pithball::diff
