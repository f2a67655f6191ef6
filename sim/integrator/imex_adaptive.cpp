#include "sim/integrator/imex_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "sim/integrator/shortest_time.hpp"
#include "sim/integrator/substep_count.hpp"

namespace pithball::sim {

const SchemeInfo ImexAdaptive::scheme{
    .name = "imex_adaptive",
    .summary =
        "imex_midpoint in substeps that follow the explicit forces: violent releases, collapses, near encounters",
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
  options.approach = settings.number(
      "approach", "", "part of the shortest time in which an explicit force changes that a substep may last",
      options.approach);
  if (!(options.approach > 0))
    settings.refuse("approach", "must be > 0", std::to_string(options.approach), "0.1 is usual");
  options.most_substeps =
      read_substep_count(settings, "most_substeps", "of one step; the summary counts those that are too long for it",
                         options.most_substeps);
  return options;
}

History ImexAdaptive::do_start(const Model& model, const State& s) {
  State start = s;
  return inner_.start(model, start);
}

void ImexAdaptive::do_step(const Model& model, double h, State& s, History& history, StepOutput& out) {
  const double beginning = s.t;
  double done = 0;
  const auto substep = [&](double tau) {
    StepTape own;
    const StepRecord made = inner_.step(model, tau, s, history, out.tape ? &own : nullptr, out.book);
    if (out.tape) out.tape->substeps.push_back(std::move(own));
    out.record.add(made);
    out.record.substeps.push_back(tau);
    done += tau;
    s.t = beginning + done;
    return made.status == StepStatus::Ok;
  };
  if (const auto frozen = memory_ ? memory_->find(beginning) : std::nullopt) {
    for (const double tau : *frozen)
      if (!substep(tau)) return;
  } else {
    for (bool last = false; !last;) {
      Points a = history[0] * model.mass().cwiseInverse().asDiagonal();
      model.clear_held(a);
      const double wanted = options_.approach * shortest_time(model, s, a, ImexMidpoint::is_slow);
      const double least = h / options_.most_substeps;
      if (wanted < std::min(least, h - done)) ++out.record.capped_substeps;
      // Where T is not a number the state is not finite either, and the substep says so.
      const double parts = std::max(1.0, std::ceil((h - done) / std::max(wanted, least) - 1e-9));
      last = !(parts > 1);
      if (!substep(last ? h - done : (h - done) / parts)) return;
    }
    if (memory_) memory_->keep(beginning, out.record.substeps);
  }
  s.t = beginning + h;
}

}  // namespace pithball::sim
