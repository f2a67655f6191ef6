#include "app/run/short_event_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/constraint/constraint.hpp"
#include "sim/core/dividing_step.hpp"
#include "sim/integrator/step_parts.hpp"
#include "sim/integrator/time_probe.hpp"

namespace pithball::app {
namespace {

/// A run that misses more than this part of an impulse shows another motion, as one whose energy is off by as much.
constexpr double missed_part = 0.1;
/// Looks at the forces while something passes, or acts, with which they are resolved.
constexpr double enough_looks = 4;

/// What to write against steps that are longer than `wanted` [s].
std::string written_step(double step, double wanted) {
  return fmt::format("write `time_step: {:g} s`", sim::dividing_step(step, wanted));
}

/// Whether one passage is farther than another, in sizes of what was passed.
bool is_farther(const sim::Passage& one, const std::optional<sim::Passage>& other) {
  return !other || one.way * other->size > other->way * one.size;
}

}  // namespace

ShortEventMeter::ShortEventMeter(const diff::Scenario& scenario)
    : scenario_(scenario),
      impulse_(sim::Vector::Zero(scenario.model.particles())),
      missed_(sim::Vector::Zero(scenario.model.particles())) {}

void ShortEventMeter::add(const sim::State& state, const sim::StepRecord& record) {
  if (before_ && state.x.allFinite() && state.v.allFinite()) {
    const auto& parts = record.substeps;
    const double part =
        parts.empty() ? 1 : *std::ranges::max_element(parts) / std::accumulate(parts.begin(), parts.end(), 0.0);
    look_for_passage(state, part);
    const sim::IntegratorInfo& info = scenario_.integrator.info();
    if (!sim::divides_steps(info)) look_for_switches(state, part);
    if (!info.adaptive) look_for_pulse(state);
  }
  before_ = state;
}

void ShortEventMeter::look_for_passage(const sim::State& state, double part) {
  const sim::Flight flight{state.t, before_->x, state.x, part};
  const auto look = [&](const auto* touching) {
    if (!touching) return;
    const std::optional<sim::Passage> found = touching->find_passage(scenario_.model, flight);
    if (!found || !is_farther(*found, passage_)) return;
    passage_ = found;
    passage_time_ = state.t;
  };
  for (const auto& term : scenario_.model.terms()) look(term->as<sim::BeginsAtTouch>());
  for (const auto& constraint : scenario_.model.constraints()) look(constraint->as<sim::ContactRows>());
}

void ShortEventMeter::look_for_switches(const sim::State& state, double part) {
  std::vector<double> jumps;
  for (const sim::Switch& at : sim::course_of(scenario_.model, before_->t, state.t).switches)
    if (at.kind == sim::Switch::Kind::Jump) jumps.push_back(at.t);
  std::ranges::sort(jumps);
  for (std::size_t k = 1; k < jumps.size(); ++k) {
    const double width = jumps[k] - jumps[k - 1];
    if (width > 0 && width < part * (state.t - before_->t) && (!switched_ || width < switched_->width))
      switched_ = Pulse{jumps[k], width};
  }
}

void ShortEventMeter::look_for_pulse(const sim::State& state) {
  sim::TimeProbe probe(scenario_.model, before_->t, {state.t - before_->t, state.t});
  if (!probe.looks() || probe.of_tracers()) return;
  const bool second_order = scenario_.integrator.info().velocity_order <= 2;
  const sim::Vector missed = second_order ? probe.missed(*before_, state, {{0, 1}, {0.5, 0.5}})
                                          : probe.missed(*before_, state, {{0, 0.5, 1}, {1.0 / 6, 2.0 / 3, 1.0 / 6}});
  impulse_ += probe.impulse();
  missed_ += missed;
  sim::Index worst = 0;
  if (!(missed.maxCoeff(&worst) > most_missed_)) return;
  most_missed_ = missed[worst];
  pulse_ = Pulse{state.t, probe.impulse()[worst] / probe.largest()[worst]};
}

void ShortEventMeter::doubt(optim::RunVerdict& verdict) const {
  if (passage_) {
    const auto& [i, other, way, size] = *passage_;
    verdict.doubt(
        fmt::format("particle {} flew through {} before t = {:g} s: it moves {:.3g} m between two looks at the forces, "
                    "and what it passed is {:.3g} m thick",
                    i, other < 0 ? "an obstacle" : fmt::format("particle {}", other), passage_time_, way, size),
        written_step(scenario_.time_step, scenario_.time_step * size / (enough_looks * way)));
  }
  const bool missed = (missed_.array() > missed_part * impulse_.array()).any();
  if (!missed && !switched_) return;
  const Pulse& pulse = switched_ ? *switched_ : *pulse_;
  verdict.doubt(fmt::format("a pulse of a force or field that is about {:.2g} s long, before t = {:g} s, is too short "
                            "for the time step of {:g} s",
                            pulse.width, pulse.t, scenario_.time_step),
                written_step(scenario_.time_step, pulse.width / enough_looks));
}

}  // namespace pithball::app
