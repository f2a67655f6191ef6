#include "app/run/run_meters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/constraint/constraint.hpp"
#include "sim/core/dividing_step.hpp"
#include "sim/integrator/substeps.hpp"
#include "sim/model/heavy_model.hpp"

namespace pithball::app {
namespace {

/// [m/s], exact by definition of the meter.
constexpr double speed_of_light = 299792458;
/// Growth of a body above which some number must be wrong: more than the ratio of a galaxy to a grain.
constexpr double absurd_growth = 1e20;

double largest(const sim::Points& points) { return std::sqrt(points.colwise().squaredNorm().maxCoeff()); }

}  // namespace

void MotionMeter::add(const sim::State& state) {
  const double distance = largest(state.x), speed = largest(state.v);
  if (start_ < 0) start_ = distance;
  farthest_ = std::max(farthest_, distance);
  if (!(speed > fastest_)) return;
  fastest_ = speed;
  time_ = state.t;
}

std::vector<std::string> MotionMeter::notes() const {
  std::vector<std::string> notes;
  if (fastest_ > speed_of_light)
    notes.push_back(
        fmt::format("at t = {:g} s a particle moves at {:.3g} m/s, {:.3g} times the speed of light, while "
                    "motion here is Newton's: check the units of masses, charges and fields",
                    time_, fastest_, fastest_ / speed_of_light));
  if (start_ > 0 && farthest_ > absurd_growth * start_)
    notes.push_back(
        fmt::format("positions grow from {:.3g} m to {:.3g} m, {:.1g}-fold: check the units, and what "
                    "drives the body apart",
                    start_, farthest_, farthest_ / start_));
  return notes;
}

namespace {

/// Missed fraction of an impulse above which a motion is as wrong as with an energy error of this size.
constexpr double missed_part = 0.1;
/// Number of force evaluations that suffices to resolve a passage or a pulse.
constexpr double enough_looks = 4;

/// Returns the remedy for a time step longer than `wanted` [s].
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
  // The longest part of the step without a force evaluation.
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

namespace {

/// Number of relaxation times of a thermostat after which the initial state no longer matters: e⁻¹⁰ of it is left.
constexpr double settling_times = 10;
/// Relative error of a run's temperature above which its motion counts as wrong. Random impulses cause this error if
/// the step is 1.4 times the friction time.
constexpr double doubtful_part = 0.5;
/// Deviation of a mean, in standard errors, that occurs by chance in less than one of a million runs.
constexpr double certain_deviations = 5;
/// Largest relative error of a drift velocity that is not reported, as for Einstein's constant.
constexpr double unnoticed_drift = 0.02;

/// Returns the common thermostat of a model if all of its kicks have one temperature and act on the whole body.
std::optional<sim::ThermalBath> common_bath(const sim::Model& model, double t) {
  std::optional<sim::ThermalBath> common;
  for (const auto& term : model.terms()) {
    const auto* kick = term->as<sim::Kick>();
    if (!kick) continue;
    const std::optional<sim::ThermalBath> bath = kick->bath(model, t);
    if (!bath || (common && common->thermal_energy != bath->thermal_energy)) return {};
    if (!common || bath->time < common->time) common = bath;
  }
  return common;
}

/// Returns an upper bound of the energy [J] that a body has gained since the start from sources other than thermostats.
double given_by_others(const sim::EnergyRow& row, const sim::EnergyRow& start) {
  double given = start.total() - (row.total() - row.kinetic);
  for (std::size_t k = 0; k < sim::loss_names.size(); ++k)
    if (k != static_cast<std::size_t>(sim::LossKind::Thermostats))
      given += std::max(0.0, start.losses[k] - row.losses[k]);
  return std::max(0.0, given);
}

}  // namespace

ThermalMeter::ThermalMeter(const diff::Scenario& scenario)
    : bath_(common_bath(scenario.model, scenario.initial.t)), may_be_cold_(scenario.model.constraints().empty()) {}

void ThermalMeter::add(const sim::EnergyRow& row) {
  if (!bath_) return;
  if (seen_++ == 0) start_ = row;
  last_ = row.t;
  if (!(row.t - start_.t > settling_times * bath_->time)) return;
  ++rows_;
  kinetic_ += row.kinetic;
  own_ += std::max(0.0, row.kinetic - given_by_others(row, start_));
}

std::optional<ThermalDoubt> ThermalMeter::doubt() const {
  const double wanted = bath_ ? 0.5 * bath_->freedoms * bath_->thermal_energy : 0;
  if (rows_ == 0 || !(wanted > 0)) return {};
  const double hot = own_ / rows_ / wanted, all = kinetic_ / rows_ / wanted;
  // Rows closer together than the thermostat's relaxation time are not independent.
  const double span = last_ - start_.t - settling_times * bath_->time;
  const double independent = std::max(1.0, std::min<double>(rows_, bath_->time > 0 ? span / bath_->time : rows_));
  const double bound = std::max(doubtful_part, certain_deviations * std::sqrt(2 / (bath_->freedoms * independent)));
  if (!(hot > 1 + bound) && !(may_be_cold_ && all < 1 - bound)) return {};
  return ThermalDoubt{fmt::format("the kinetic energy stays at {:.3g} times that of the thermostat's temperature", all),
                      bath_->remedy};
}

double ThermalMeter::exchanged(double t) const {
  if (!bath_ || seen_ == 0) return 0;
  return 0.5 * static_cast<double>(bath_->freedoms) * bath_->thermal_energy * (t - start_.t) / bath_->time;
}

std::string coarse_friction_note(const diff::Scenario& scenario) {
  const double most = scenario.time_step * sim::friction_rates(scenario.model, scenario.initial.t).maxCoeff();
  std::string note;
  if (most > 1)
    note = fmt::format(
        "a thermostat's friction acts in a part of the time step (friction_rate × time_step = {:.3g}): positions "
        "spread "
        "and drift as they should, velocities at the ends of steps are those of the bath alone",
        most);
  // A first-order step (a substep of xpbd) evaluates its force slightly too far ahead.
  const sim::IntegratorInfo& info = scenario.integrator.info();
  const double ahead = std::tanh(most / 2) / info.force_evaluations;
  if (info.position_order < 2 && ahead > unnoticed_drift)
    note += fmt::format("{}under forces particles drift {:.2g} % too fast, as {} is of first order: take more substeps",
                        note.empty() ? "" : "; ", 100 * ahead, info.name);
  return note;
}

}  // namespace pithball::app
