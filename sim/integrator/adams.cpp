#include "sim/integrator/adams.hpp"

#include <algorithm>

#include "sim/integrator/impulses.hpp"
#include "sim/integrator/runge_kutta.hpp"

namespace pithball::sim {
namespace {

/// Adams–Bashforth of order N; with a corrector, the predictor-corrector pair of order N.
AdamsCoefficients method(bool corrected, std::vector<double> predictor, std::vector<double> corrector = {}) {
  const int order = predictor.size();
  std::vector<std::string> history;
  for (int k = 1; k < order; ++k) {
    history.push_back("velocity_" + std::to_string(k));
    history.push_back("acceleration_" + std::to_string(k));
  }
  const std::string n = std::to_string(order);
  return {{.name = (corrected ? "abm" : "ab") + n,
           .summary = corrected ? "Adams–Bashforth–Moulton of order " + n +
                                      ", one correction: for smooth forces and short accurate runs"
                                : "Adams–Bashforth of order " + n +
                                      ", one force evaluation: for smooth forces and short accurate runs",
           .position_order = order,
           .velocity_order = order,
           .force_evaluations = corrected ? 2 : 1,
           .startup_steps = order - 1,
           .history = std::move(history),
           .supports = {.tracers = true}},
          std::move(predictor),
          std::move(corrector)};
}

}  // namespace

const std::vector<AdamsCoefficients>& adams_methods() {
  static const std::vector<AdamsCoefficients> methods = [] {
    const std::vector<double> b2{3 / 2.0, -1 / 2.0}, b3{23 / 12.0, -16 / 12.0, 5 / 12.0},
        b4{55 / 24.0, -59 / 24.0, 37 / 24.0, -9 / 24.0},
        b5{1901 / 720.0, -2774 / 720.0, 2616 / 720.0, -1274 / 720.0, 251 / 720.0};
    return std::vector<AdamsCoefficients>{
        method(false, b2),
        method(false, b3),
        method(false, b4),
        method(false, b5),
        method(true, b2, {1 / 2.0, 1 / 2.0}),
        method(true, b3, {5 / 12.0, 8 / 12.0, -1 / 12.0}),
        method(true, b4, {9 / 24.0, 19 / 24.0, -5 / 24.0, 1 / 24.0}),
        method(true, b5, {251 / 720.0, 646 / 720.0, -264 / 720.0, 106 / 720.0, -19 / 720.0}),
    };
  }();
  return methods;
}

void Adams::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const std::size_t past = history.size() / 2, order = method_.predictor.size();
  // Returns the acceleration at a state, and inserts the power dissipated by forces there [W] at the front of `powers`.
  std::vector<Losses> powers = past_powers_;
  const auto accelerate = [&](State& at) {
    if (!out.book) return stage_acceleration(model, at);
    Impulses impulses(model);
    Points a = stage_acceleration(model, at, &impulses, 1);
    powers.insert(powers.begin(), impulses.work(at.v));
    return a;
  };
  const auto add_losses = [&](const std::vector<double>& weights) {
    for (std::size_t j = 0; out.book && j < std::min(weights.size(), powers.size()); ++j)
      out.book->add(h * weights[j], powers[j]);
  };
  History slopes{s.v, accelerate(s)};  // f_n, f_{n−1}, …: each a velocity and an acceleration
  slopes.insert(slopes.end(), history.begin(), history.end());
  past_powers_ = powers;
  past_powers_.resize(std::min(powers.size(), order - 1));
  // y + h Σ_j weights_j f_{n−j}, leaving the first `skip` weights out.
  const auto advanced = [&](const std::vector<double>& weights, std::size_t skip) {
    State end{step.end, s.x, s.v};
    for (std::size_t j = skip; j < weights.size(); ++j) {
      end.x += h * weights[j] * slopes[2 * (j - skip)];
      end.v += h * weights[j] * slopes[2 * (j - skip) + 1];
    }
    return end;
  };

  if (past + 1 < order) {
    RungeKuttaStep first = runge_kutta_step(runge_kutta_tableau("rk4"), model, step, s, out.book != nullptr);
    if (out.book) out.book->add(1, first.losses);
    s = std::move(first.end);
    out.record.work.force_evaluations = 5;  // one for the history
  } else {
    State end = advanced(method_.predictor, 0);
    out.record.work.force_evaluations = 1;
    if (method_.corrector.empty()) {
      add_losses(method_.predictor);
    } else {
      const Points a = accelerate(end);
      add_losses(method_.corrector);
      State corrected = advanced(method_.corrector, 1);
      corrected.x += h * method_.corrector[0] * end.v;
      corrected.v += h * method_.corrector[0] * a;
      end = std::move(corrected);
      out.record.work.force_evaluations = 2;
    }
    s = std::move(end);
    slopes.resize(2 * (order - 1));  // the oldest is no longer needed
  }
  model.place_held(s.t, s.x, &s.v);
  history = std::move(slopes);
}

}  // namespace pithball::sim
