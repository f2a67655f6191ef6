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

}  // namespace

ShortEventMeter::ShortEventMeter(const diff::Scenario& scenario)
    : scenario_(scenario),
      impulse_(sim::Vector::Zero(scenario.model.particles())),
      missed_(sim::Vector::Zero(scenario.model.particles())) {}

void ShortEventMeter::add(const sim::State& before, const sim::State& after, const sim::StepRecord& record) {
  if (record.status != sim::StepStatus::Ok) return;
  const auto& parts = record.substeps;
  // Of the step, the longest without a look at the forces.
  const double part =
      parts.empty() ? 1 : *std::ranges::max_element(parts) / std::accumulate(parts.begin(), parts.end(), 0.0);
  look_for_passage({after.t, before.x, after.x, part});
  const sim::TimeCourse course = sim::course_of(scenario_.model, before.t, after.t);
  const sim::IntegratorInfo& info = scenario_.integrator.info();
  if (!sim::divides_steps(info)) look_for_switches(course.switches, part * (after.t - before.t));
  if (!info.adaptive && course.varies) look_for_pulse(before, after);
}

void ShortEventMeter::look_for_passage(const sim::Flight& flight) {
  const auto look = [&](const auto* touching) {
    if (!touching) return;
    const std::optional<sim::Passage> found = touching->find_passage(scenario_.model, flight);
    if (!found || !sim::is_farther(*found, passage_)) return;
    passage_ = found;
    passage_time_ = flight.t;
  };
  for (const auto& term : scenario_.model.terms()) look(term->as<sim::BeginsAtTouch>());
  for (const auto& constraint : scenario_.model.constraints()) look(constraint->as<sim::ContactRows>());
}

void ShortEventMeter::look_for_switches(const std::vector<sim::Switch>& switches, double longest) {
  std::vector<double> jumps;
  for (const sim::Switch& at : switches)
    if (at.kind == sim::Switch::Kind::Jump) jumps.push_back(at.t);
  std::ranges::sort(jumps);
  for (std::size_t k = 1; k < jumps.size(); ++k) {
    const double width = jumps[k] - jumps[k - 1];
    if (width > 0 && width < longest && (!switched_ || width < switched_->width)) switched_ = Pulse{jumps[k], width};
  }
}

void ShortEventMeter::look_for_pulse(const sim::State& before, const sim::State& after) {
  sim::TimeProbe probe(scenario_.model, before.t, {after.t - before.t, after.t});
  if (!probe.looks() || probe.of_tracers()) return;
  const bool second_order = scenario_.integrator.info().velocity_order <= 2;
  const sim::Vector missed = second_order ? probe.missed(before, after, {{0, 1}, {0.5, 0.5}})
                                          : probe.missed(before, after, {{0, 0.5, 1}, {1.0 / 6, 2.0 / 3, 1.0 / 6}});
  impulse_ += probe.impulse();
  missed_ += missed;
  sim::Index worst = 0;
  if (!(missed.maxCoeff(&worst) > most_missed_)) return;
  most_missed_ = missed[worst];
  pulse_ = Pulse{after.t, probe.impulse()[worst] / probe.largest()[worst]};
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
