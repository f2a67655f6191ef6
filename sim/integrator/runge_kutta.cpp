#include "sim/integrator/runge_kutta.hpp"

#include <numeric>

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {
namespace {

/// Advances x and v by h Σ_i w_i (V_i, A_i) over the first w.size() stages.
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
    std::optional<Impulses> impulses;
    if (with_losses) impulses.emplace(model);
    Points a = stage_acceleration(model, stage, impulses ? &*impulses : nullptr, 1);
    const Losses powers = impulses ? impulses->work(stage.v) : Losses{};
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

namespace {

/// An explicit method whose positions and velocities have the same order.
IntegratorInfo explicit_method(const char* name, const char* summary, int order, int stages) {
  return {.name = name,
          .summary = summary,
          .position_order = order,
          .velocity_order = order,
          .force_evaluations = stages,
          .supports = {.tracers = true}};
}

}  // namespace

const std::vector<RungeKuttaTableau>& runge_kutta_tableaux() {
  static const std::vector<RungeKuttaTableau> tableaux{
      // Euler 1768.
      {explicit_method("explicit_euler",
                       "all forces at the beginning of the step, first order: gains energy; for comparison", 1, 1),
       {{}},
       {1}},
      // Runge 1895.
      {explicit_method("midpoint", "explicit midpoint rule, second order, two force evaluations", 2, 2),
       {{}, {1 / 2.0}},
       {0, 1}},
      // Heun 1900, the explicit trapezoidal rule.
      {explicit_method("heun", "explicit trapezoidal rule, second order, two force evaluations", 2, 2),
       {{}, {1}},
       {1 / 2.0, 1 / 2.0}},
      // Ralston's method as Chapra and Canale give it (2010, section 25.3): weights 1/3 and 2/3.
      {explicit_method("ralston", "second order with a small error bound, two force evaluations", 2, 2),
       {{}, {3 / 4.0}},
       {1 / 3.0, 2 / 3.0}},
      // Kutta 1901, the classical method.
      {explicit_method("rk4", "the classical Runge–Kutta method, fourth order: smooth motion, reference solutions", 4,
                       4),
       {{}, {1 / 2.0}, {0, 1 / 2.0}, {0, 0, 1}},
       {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0}},
      // Kutta 1901, the 3/8 rule.
      {explicit_method("rk4_38", "Kutta's 3/8 rule, fourth order with a smaller error than rk4", 4, 4),
       {{}, {1 / 3.0}, {-1 / 3.0, 1}, {1, -1, 1}},
       {1 / 8.0, 3 / 8.0, 3 / 8.0, 1 / 8.0}},
  };
  return tableaux;
}

const RungeKuttaTableau& runge_kutta_tableau(const std::string& name) {
  std::size_t k = 0;
  while (runge_kutta_tableaux().at(k).info.name != name) ++k;
  return runge_kutta_tableaux()[k];
}

}  // namespace pithball::sim
