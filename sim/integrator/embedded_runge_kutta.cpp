#include "sim/integrator/embedded_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::sim {
namespace {

/// Of a pair whose result has this order.
SchemeInfo embedded_pair(const char* name, const char* summary, int order, int stages) {
  return {.name = name,
          .summary = summary,
          .position_order = order,
          .velocity_order = order,
          .force_evaluations = stages,
          .first_order = true,
          .adaptive = true};
}

/// A step that needs more substeps than this has met a singularity.
constexpr double most_substeps = 1e6;

}  // namespace

const std::vector<RungeKuttaTableau>& embedded_tableaux() {
  static const std::vector<RungeKuttaTableau> tableaux{
      // Heun's method with Euler's embedded.
      {embedded_pair("heun_euler", "substeps to a tolerance, second order: rough forces", 2, 2),
       {{}, {1}},
       {1 / 2.0, 1 / 2.0},
       {1, 0}},
      // Bogacki and Shampine 1989.
      {embedded_pair("bogacki_shampine", "substeps to a tolerance, third order: moderate tolerances", 3, 4),
       {{}, {1 / 2.0}, {0, 3 / 4.0}, {2 / 9.0, 1 / 3.0, 4 / 9.0}},
       {2 / 9.0, 1 / 3.0, 4 / 9.0, 0},
       {7 / 24.0, 1 / 4.0, 1 / 3.0, 1 / 8.0}},
      // Dormand and Prince 1980, table 2.
      {embedded_pair("dormand_prince", "substeps to a tolerance, fifth order: near encounters, reference solutions", 5,
                     7),
       {{},
        {1 / 5.0},
        {3 / 40.0, 9 / 40.0},
        {44 / 45.0, -56 / 15.0, 32 / 9.0},
        {19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0},
        {9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0},
        {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0}},
       {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0, 0},
       {5179 / 57600.0, 0, 7571 / 16695.0, 393 / 640.0, -92097 / 339200.0, 187 / 2100.0, 1 / 40.0}},
  };
  return tableaux;
}

EmbeddedRungeKutta::Tolerances EmbeddedRungeKutta::read(Settings& settings) {
  Tolerances t;
  t.position =
      settings.number("position_tolerance", "", "error of a substep's positions, in mean rest lengths", t.position);
  t.velocity = settings.number("velocity_tolerance", "1/s",
                               "error of a substep's velocities, in mean rest lengths per second", t.velocity);
  if (!(t.position > 0)) settings.refuse("position_tolerance", "must be > 0", std::to_string(t.position), "");
  if (!(t.velocity > 0)) settings.refuse("velocity_tolerance", "must be > 0 1/s", std::to_string(t.velocity), "");
  return t;
}

double EmbeddedRungeKutta::error(const Model& model, const RungeKuttaStep& step) const {
  for (const Points* part : {&step.end.x, &step.end.v, &step.position_error, &step.velocity_error})
    if (!part->allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double scale = model.length_scale();
  return std::max(step.position_error.colwise().norm().maxCoeff() / (tolerances_.position * scale),
                  step.velocity_error.colwise().norm().maxCoeff() / (tolerances_.velocity * scale));
}

void EmbeddedRungeKutta::do_step(const Model& model, double h, State& s, History&, StepTape* tape, StepRecord& record, Losses* book) {
  const double beginning = s.t, exponent = -1.0 / tableau_.info.position_order;
  double done = 0;
  const auto attempt = [&](double tau) {
    record.force_evaluations += static_cast<int>(tableau_.stages());
    return runge_kutta_step(tableau_, model, tau, s, book != nullptr);
  };
  const auto accept = [&](double tau, RungeKuttaStep made) {
    if (book) {
      book->add(1, made.losses);
      book_surroundings(model, s, made.end, tableau_.info.position_order, *book);
    }
    if (tape) tape->substeps.push_back({.h = tau, .before = s, .after = {}, .history_before = {}, .stages = {}});
    s = std::move(made.end);
    done += tau;
    s.t = beginning + done;
    record.substeps.push_back(tau);
  };
  if (const auto frozen = memory_ ? memory_->find(beginning) : std::nullopt) {
    for (const double tau : *frozen) accept(tau, attempt(tau));
    s.t = beginning + h;
    return;
  }
  for (double next = h; done < h;) {
    const bool last = done + next >= h * (1 - 1e-12);
    const double tau = last ? h - done : next;
    RungeKuttaStep step = attempt(tau);
    const double e = error(model, step);
    // Where nothing can be said of the error (a stage was not finite), a much shorter step may do.
    next = tau * (std::isnan(e) ? 0.2 : std::clamp(0.9 * std::pow(e, exponent), 0.2, 5.0));
    if (e <= 1) {
      accept(tau, std::move(step));
      if (last) done = h;  // whatever the rounding of the sum
    } else if (next < h / most_substeps) {
      s = std::move(step.end);
      record.status = std::isnan(e) ? StepStatus::Diverged : StepStatus::NotConverged;
      return;
    }
  }
  s.t = beginning + h;
  if (memory_) memory_->keep(beginning, record.substeps);
}

}  // namespace pithball::sim
