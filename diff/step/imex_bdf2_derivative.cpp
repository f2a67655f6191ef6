#include "diff/step/imex_bdf2_derivative.hpp"

#include "diff/step/force_linearisation.hpp"
#include "diff/step/imex_midpoint_derivative.hpp"
#include "diff/step/stage_derivative.hpp"

namespace pithball::diff {
namespace {

/// The first step is imex_midpoint's, whose history is one force.
bool is_first(const sim::StepTape& tape) { return tape.history_before.size() == 1; }

}  // namespace

void ImexBdf2Derivative::tangent(const sim::Model& model, const sim::StepTape& tape, std::vector<StateVariation>& d,
                                 const Eigen::MatrixXd& dvalues, DerivativeCost& cost) const {
  std::vector<StateVariation> before = d;  // the history after the step
  for (std::size_t p = 0; p < d.size(); ++p) {
    Points dforce = Points::Zero(3, d[p].x.cols());
    add_force_jvp(model, tape.before, {d[p].x, d[p].v, dvalues.col(static_cast<Index>(p))}, dforce, is_explicit);
    ++cost.force_products;
    before[p].history = {d[p].x, d[p].v, std::move(dforce)};
  }
  if (is_first(tape)) {
    const ImexMidpointDerivative first;
    for (std::size_t p = 0; p < d.size(); ++p)
      first.start_tangent(model, tape.before, d[p], dvalues.col(static_cast<Index>(p)), cost);
    first.tangent(model, tape, d, dvalues, cost);
  } else {
    const double g = tape.stages[0].problem.g;
    StageDerivative stage(model, tape.stages[0]);
    for (std::size_t p = 0; p < d.size(); ++p) {
      auto& [dx, dv, past] = d[p];
      const Points dy_x = (4 * dx - past[0]) / 3, dy_v = (4 * dv - past[1]) / 3;
      StageVariation in{dy_x + g * dy_v, dy_x, 2 * dx - past[0], 2 * before[p].history[2] - past[2],
                        dvalues.col(static_cast<Index>(p))};
      place_held_variation(model, dx, in.predictor);
      const Points dz = stage.jvp(in);
      dv = (dz - dy_x) / g;
      dx = dz;
      restrict_held(model, dx, dv);
    }
    add_cost(stage, cost);
  }
  for (std::size_t p = 0; p < d.size(); ++p) d[p].history = std::move(before[p].history);
}

void ImexBdf2Derivative::adjoint(const sim::Model& model, const sim::StepTape& tape, StateVariation& a, Vector& gvalues,
                                 DerivativeCost& cost) const {
  const Index n = a.x.cols();
  a.history.resize(3, Points::Zero(3, n));  // nothing follows the last step
  std::vector<Points> later = std::move(a.history);
  Points gforce = std::move(later[2]);
  restrict_held(model, a.x, a.v);
  if (is_first(tape)) {
    const ImexMidpointDerivative first;
    a.history.assign(1, Points::Zero(3, n));
    first.adjoint(model, tape, a, gvalues, cost);
    first.start_adjoint(model, tape.before, a, gvalues, cost);
    a.history.clear();
    a.x += later[0];
    a.v += later[1];
  } else {
    const double g = tape.stages[0].problem.g;
    StageDerivative stage(model, tape.stages[0]);
    StageVariation in = StageVariation::zero(n, gvalues.size());
    stage.vjp(a.x + a.v / g, in);
    add_cost(stage, cost);
    gvalues += in.values;
    gforce += 2 * in.force;
    // The predictor of a held particle is its place, not y_x + g y_v.
    Points place = in.predictor;
    model.clear_held(in.predictor);
    place -= in.predictor;
    const Points g_yx = in.predictor + in.reference - a.v / g, g_yv = g * in.predictor;
    a.x = 4.0 / 3 * g_yx + 2 * in.lagged + place + later[0];
    a.v = 4.0 / 3 * g_yv + later[1];
    a.history = {-g_yx / 3 - in.lagged, -g_yv / 3, -in.force};
  }
  sim::Variation back{std::move(a.x), std::move(a.v), std::move(gvalues)};
  add_force_vjp(model, tape.before, gforce, back, is_explicit);
  ++cost.force_products;
  a.x = std::move(back.x);
  a.v = std::move(back.v);
  gvalues = std::move(back.values);
  restrict_held(model, a.x, a.v);
}

}  // namespace pithball::diff
