#include "diff/step/embedded_runge_kutta_derivative.hpp"

#include "diff/step/touch_split.hpp"

namespace pithball::diff {
namespace {

/// Whether each substep ends where touches change.
std::vector<bool> ends_at_changes(const sim::Model& model, const sim::StepTape& tape) {
  std::vector<bool> ends;
  for (const sim::StepTape& substep : tape.substeps)
    ends.push_back(substep.holds_touches && sim::touches_differ(model, substep.before, substep.after));
  return ends;
}

/// Whether a change of the state changes the timing of a substep: of its end, or of its beginning.
bool is_retimed(const std::vector<bool>& ends, std::size_t k) { return ends[k] || (k > 0 && ends[k - 1]); }

/// The model with which a substep was made.
sim::Model model_of(const sim::Model& model, const sim::StepTape& substep) {
  return substep.holds_touches ? model.holding_touches(substep.before) : model;
}

}  // namespace

void EmbeddedRungeKuttaDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                           std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const std::vector<bool> ends = ends_at_changes(model, tape);
  std::vector<std::vector<double>> later;  // of each direction: by which the substep begins [s]
  for (const StateDirections& d : groups) later.emplace_back(d.count(), 0.0);
  for (std::size_t k = 0; k < tape.substeps.size(); ++k) {
    const sim::StepTape& substep = tape.substeps[k];
    substep_.tangent(model_of(model, substep), substep, groups, cost);
    if (!is_retimed(ends, k)) continue;
    const TouchSplit split(model, substep, substep_, tape.h);
    for (std::size_t c = 0; c < groups.size(); ++c)
      for (Index p = 0; p < groups[c].count(); ++p) {
        sim::Variation d = groups[c].alone(p);
        split.add_tangent(d, later[c][p]);
        groups[c].set(p, d);
      }
    cost.reliable = cost.reliable && split.reliable();
  }
}

void EmbeddedRungeKuttaDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                           std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const std::vector<bool> ends = ends_at_changes(model, tape);
  std::vector<double> glater(all.size(), 0.0);
  for (std::size_t k = tape.substeps.size(); k-- > 0;) {
    const sim::StepTape& substep = tape.substeps[k];
    if (is_retimed(ends, k)) {
      const TouchSplit split(model, substep, substep_, tape.h);
      for (std::size_t c = 0; c < all.size(); ++c) split.add_adjoint(all[c], glater[c]);
      cost.reliable = cost.reliable && split.reliable();
    }
    substep_.adjoint(model_of(model, substep), substep, all, cost);
  }
}

}  // namespace pithball::diff
