#pragma once
#include <algorithm>
#include <vector>

#include "diff/step/step_derivative.hpp"
#include "sim/integrator/imex_midpoint.hpp"

namespace pithball::diff {

/// The terms that act by their velocity flow, with the velocity before each of them.
struct FlowChain {
  std::vector<const sim::ForceTerm*> terms;
  std::vector<Points> before;  // one for each term
  Points result;

  /// Applies the flows over h [s] to the velocities of `at`, in the order of the terms or the reversed one.
  FlowChain(const sim::Model& model, const sim::State& at, double h, bool reversed) : result(at.v) {
    for (const auto& term : model.terms())
      if (sim::ImexMidpoint::is_flow(term->traits())) terms.push_back(term.get());
    if (reversed) std::reverse(terms.begin(), terms.end());
    for (const auto* term : terms) {
      before.push_back(result);
      term->flow_velocity(model, {at.t, at.x, result}, h, result);
    }
  }

  /// dv ← derivative of the chain's result.
  void jvp(const sim::Model& model, const sim::State& at, double h, const Points& dx, const Vector& dvalues,
           Points& dv) const {
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const sim::Variation d{dx, dv, dvalues};
      terms[k]->flow_velocity_jvp(model, {at.t, at.x, before[k]}, h, d, dv);
    }
  }
  /// a ← ∂L/∂(velocity before the chain); adds ∂L/∂x and ∂L/∂values.
  void vjp(const sim::Model& model, const sim::State& at, double h, Points& a, Points& gx, Vector& gvalues) const {
    if (terms.empty()) return;
    sim::Variation g{std::move(gx), {}, std::move(gvalues)};
    for (std::size_t k = terms.size(); k-- > 0;) {
      g.v = Points::Zero(3, a.cols());
      terms[k]->flow_velocity_vjp(model, {at.t, at.x, before[k]}, h, a, g);
      a = g.v;
    }
    gx = std::move(g.x);
    gvalues = std::move(g.values);
  }
};

}  // namespace pithball::diff
