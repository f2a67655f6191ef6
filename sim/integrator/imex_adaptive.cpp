#include "sim/integrator/imex_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/stop.hpp"
#include "sim/integrator/substeps.hpp"

namespace pithball::sim {

const IntegratorInfo ImexAdaptive::integrator{
    .name = "imex_adaptive",
    .summary =
        "imex_midpoint in substeps adapted to the explicit forces: for violent "
        "releases, collapses and close encounters",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .implicit = true,
    .time_reversible = true,
    .symplectic = true,
    .history = {"force"},
    .adaptive = true};

ImexAdaptive::Options ImexAdaptive::read(Settings& settings) {
  Options options;
  options.approach = settings.number("safety_factor", "",
                                     "largest substep, as a fraction of the shortest time scale of the explicit forces",
                                     options.approach);
  if (!(options.approach > 0))
    settings.reject("safety_factor", "must be > 0", std::to_string(options.approach), "0.1 is usual");
  options.max_substeps = read_substep_count(
      settings, "max_substeps",
      "maximum number of substeps per step; the summary counts the steps that would need more", options.max_substeps);
  options.max_step = read_max_step(settings);
  return options;
}

History ImexAdaptive::do_start(const Model& model, const State& s) {
  State start = s;
  return inner_.start(model, start);
}

History ImexAdaptive::do_extend(const Model& model, const State& s, const History& earlier) {
  State start = s;
  return inner_.extend(model, start, earlier);
}

double ImexAdaptive::longest_substep(const Model& model, const State& s, const History& history, const Room& room,
                                     TimeProbe& probe) const {
  Points a = history[0] * model.mass().cwiseInverse().asDiagonal();
  model.clear_held(a);
  const double wanted = std::min({options_.approach * shortest_time(model, s, a, ImexMidpoint::is_slow),
                                  time_to_touch(model, s, a) / 2, options_.max_step});
  if (!probe.looks() || !(wanted > 0)) return wanted;
  double tau = std::min({wanted, room.left, probe.reach(s.t, room.least)});
  for (;;) {
    // Allows the error of the trapezoidal rule over the fraction `approach` of the time in which a force changes.
    const State ahead{s.t + tau, s.x + tau * (s.v + tau / 2 * a), s.v + tau * a};
    const Eigen::ArrayXd missed = probe.missed(s, ahead, {{0, 1}, {0.5, 0.5}}).array(),
                         granted = options_.approach * options_.approach / 12 * tau * probe.largest().array();
    const double error = (granted > 0).select(missed / granted, 0).maxCoeff();
    if (!(error > 1) || tau <= room.least) return tau < room.left ? tau : wanted;
    probe.remember();
    tau = std::min(tau * std::clamp(0.9 / std::sqrt(error), 0.1, 0.9), probe.reach(s.t, room.least));
  }
}

void ImexAdaptive::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const double beginning = s.t;
  double done = 0;
  const auto substep = [&](double tau, bool last) {
    require_not_stopped();
    const double end = last ? step.end : beginning + (done + tau);
    StepTape own;
    const StepRecord made = inner_.undivided_step(model, {tau, end}, s, history, out.tape ? &own : nullptr, out.book);
    if (out.tape) out.tape->substeps.push_back(std::move(own));
    out.record.add(made);
    out.record.substeps.push_back(tau);
    done += tau;
    return made.status == StepStatus::Ok;
  };
  if (const auto frozen = memory_ ? memory_->find(beginning) : std::nullopt) {
    for (const double& tau : *frozen)
      if (!substep(tau, &tau == &frozen->back())) return;
  } else {
    TimeProbe probe(model, beginning, step);
    for (bool last = false; !last;) {
      const double least = h / options_.max_substeps;
      const double wanted = longest_substep(model, s, history, {h - done, least}, probe);
      if (wanted < std::min(least, h - done)) ++out.record.work.capped_substeps;
      // If `wanted` is NaN, the state is not finite either, and the substep reports it.
      const double parts = std::max(1.0, std::ceil((h - done) / std::max(wanted, least) - 1e-9));
      last = !(parts > 1);
      if (!substep(last ? h - done : (h - done) / parts, last)) return;
    }
    if (memory_) memory_->keep(beginning, out.record.substeps);
  }
}

}  // namespace pithball::sim
