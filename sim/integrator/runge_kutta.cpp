#include "sim/integrator/runge_kutta.hpp"

#include <numeric>

#include "sim/integrator/acceleration.hpp"

namespace pithball::sim {
namespace {

/// x and v moved by h Σ_i w_i (V_i, A_i) over the first w.size() stages.
void advance(const std::vector<double>& weights, double h, const std::vector<RungeKuttaStage>& stages, Points& x,
             Points& v) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0) continue;
    x += h * weights[i] * stages[i].state.v;
    v += h * weights[i] * stages[i].acceleration;
  }
}

}  // namespace

double RungeKuttaTableau::node(std::size_t i) const { return std::accumulate(a[i].begin(), a[i].end(), 0.0); }

std::vector<RungeKuttaStage> runge_kutta_stages(const RungeKuttaTableau& tableau, const Model& model, double h,
                                                const State& s, bool with_losses) {
  std::vector<RungeKuttaStage> stages;
  for (std::size_t i = 0; i < tableau.stages(); ++i) {
    State stage{s.t + tableau.node(i) * h, s.x, s.v};
    advance(tableau.a[i], h, stages, stage.x, stage.v);
    std::optional<Impulses> felt;
    if (with_losses) felt.emplace(model);
    Points a = stage_acceleration(model, stage, felt ? &*felt : nullptr, 1);
    const Losses powers = felt ? felt->work(stage.v) : Losses{};
    stages.push_back({std::move(stage), std::move(a), powers});
  }
  return stages;
}

RungeKuttaStep runge_kutta_step(const RungeKuttaTableau& tableau, const Model& model, const TimeStep& step,
                                const State& s, bool with_losses) {
  const auto stages = runge_kutta_stages(tableau, model, step.h, s, with_losses);
  const Points zero = Points::Zero(3, model.particles());
  RungeKuttaStep made{{step.end, s.x, s.v}, stages.front().acceleration, zero, zero};
  advance(tableau.b, step.h, stages, made.end.x, made.end.v);
  for (std::size_t i = 0; i < stages.size(); ++i) made.losses.add(step.h * tableau.b[i], stages[i].powers);
  if (!tableau.lower.empty()) {
    std::vector<double> difference = tableau.b;
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= tableau.lower[i];
    advance(difference, step.h, stages, made.position_error, made.velocity_error);
    model.clear_held(made.position_error);
  }
  model.place_held(made.end.t, made.end.x, &made.end.v);
  return made;
}

void RungeKutta::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  RungeKuttaStep made = runge_kutta_step(tableau_, model, step, s, out.book != nullptr);
  if (out.book) out.book->add(1, made.losses);
  s = std::move(made.end);
  out.record.work.force_evaluations = tableau_.stages();
}

}  // namespace pithball::sim
