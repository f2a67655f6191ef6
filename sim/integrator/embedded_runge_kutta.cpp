#include "sim/integrator/embedded_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "sim/core/text.hpp"
#include "sim/integrator/shortest_time.hpp"

namespace pithball::sim {
namespace {

/// Of a pair whose result has this order.
IntegratorInfo embedded_pair(const char* name, const char* summary, int order, int stages) {
  return {.name = name,
          .summary = summary,
          .position_order = order,
          .velocity_order = order,
          .force_evaluations = stages,
          .supports = {.tracers = true},
          .adaptive = true};
}

/// A step that needs a substep as short as this part of it has met a singularity: a force that merely begins at once is
/// resolved by substeps near `tolerance` · h.
constexpr double least_substep = 1e-12;

/// Every particle is granted the error of one that moves at this part of the fastest's speed. So a small slow part of a
/// body is resolved for itself, but not what only begins to feel, far away, that others move.
constexpr double least_share = 1e-6;

/// What rounding leaves of a difference between two sums of a few numbers as large as the coordinates.
constexpr double roundings = 16;

}  // namespace

const std::vector<RungeKuttaTableau>& embedded_tableaux() {
  static const std::vector<RungeKuttaTableau> tableaux{
      // Heun's method with Euler's embedded.
      {embedded_pair("heun_euler", "substeps with error control, second order: for non-smooth forces", 2, 2),
       {{}, {1}},
       {1 / 2.0, 1 / 2.0},
       {1, 0}},
      // Bogacki and Shampine 1989.
      {embedded_pair("bogacki_shampine", "substeps with error control, third order: for moderate tolerances", 3, 4),
       {{}, {1 / 2.0}, {0, 3 / 4.0}, {2 / 9.0, 1 / 3.0, 4 / 9.0}},
       {2 / 9.0, 1 / 3.0, 4 / 9.0, 0},
       {7 / 24.0, 1 / 4.0, 1 / 3.0, 1 / 8.0}},
      // Dormand and Prince 1980, table 2.
      {embedded_pair("dormand_prince",
                     "substeps with error control, fifth order: for close encounters and reference solutions", 5, 7),
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

double EmbeddedRungeKutta::read(Settings& settings) {
  const double tolerance = settings.number(
      "tolerance", "", "requested error of a substep, relative to the motion (docs/integrators.md)", usual_tolerance);
  if (!(tolerance > 0)) settings.reject("tolerance", "must be > 0", to_text(tolerance), "1e-7 is usual");
  return tolerance;
}

double EmbeddedRungeKutta::error(const State& s, const RungeKuttaStep& step, double tau, double time) const {
  for (const Points* part : {&step.end.x, &step.end.v, &step.position_error, &step.velocity_error})
    if (!part->allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const auto norms = [](const Points& p) { return p.colwise().norm().transpose().array().eval(); };
  const Eigen::ArrayXd u = norms(s.v).max(norms(step.end.v)) + time / tau * norms(step.end.v - s.v);
  const Eigen::ArrayXd granted = tolerance_ * u.max(least_share * u.maxCoeff());
  const double rounding = roundings * std::numeric_limits<double>::epsilon() * s.x.cwiseAbs().maxCoeff();
  const Eigen::ArrayXd ex = norms(step.position_error), ev = norms(step.velocity_error);
  double worst = 0;
  for (Index i = 0; i < u.size(); ++i) {
    if (ex[i] > 0) worst = std::max(worst, ex[i] / (time * granted[i] + rounding));
    if (ev[i] > 0) worst = std::max(worst, ev[i] / (granted[i] + rounding / time));
  }
  return worst;
}

void EmbeddedRungeKutta::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  const double beginning = s.t, exponent = -1.0 / tableau_.info.position_order;
  double done = 0;
  const auto attempt = [&](double tau, bool last) {
    out.record.work.force_evaluations += static_cast<int>(tableau_.stages());
    return runge_kutta_step(tableau_, model, {tau, last ? step.end : beginning + (done + tau)}, s, out.book != nullptr);
  };
  const auto accept = [&](double tau, RungeKuttaStep made) {
    if (out.book) {
      out.book->add(1, made.losses);
      book_surroundings(model, s, made.end, tableau_.info.position_order, *out.book);
    }
    if (out.tape)
      out.tape->substeps.push_back({.h = tau, .before = s, .after = {}, .history_before = {}, .stages = {}});
    s = std::move(made.end);
    done += tau;
    out.record.substeps.push_back(tau);
  };
  if (const auto frozen = memory_ ? memory_->find(beginning) : std::nullopt) {
    for (const double& tau : *frozen) accept(tau, attempt(tau, &tau == &frozen->back()));
    return;
  }
  std::optional<double> time;  // θ at s
  for (double next = h; done < h;) {
    const bool last = done + next >= h * (1 - 1e-12);
    const double tau = last ? h - done : next;
    RungeKuttaStep made = attempt(tau, last);
    if (!time) time = std::clamp(shortest_time(model, s, made.acceleration, every_term), h * least_substep, h);
    const double e = error(s, made, tau, *time);
    // Where nothing can be said of the error (a stage was not finite), a much shorter step may do.
    next = tau * (std::isnan(e) ? 0.2 : std::clamp(0.9 * std::pow(e, exponent), 0.2, 5.0));
    const bool accepted = e <= 1;
    if (accepted) {
      accept(tau, std::move(made));
      time.reset();
      if (last) done = h;  // whatever the rounding of the sum
    }
    if (done < h && next < h * least_substep) {
      if (!accepted) s = std::move(made.end);
      out.record.status = std::isnan(e) ? StepStatus::Diverged : StepStatus::NotConverged;
      return;
    }
  }
  if (memory_) memory_->keep(beginning, out.record.substeps);
}

}  // namespace pithball::sim
