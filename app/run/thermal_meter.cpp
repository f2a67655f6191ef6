#include "app/run/thermal_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/model/heavy_model.hpp"

namespace pithball::app {
namespace {

/// Times in which a thermostat acts until its body has forgotten the start: what is left of it is e⁻¹⁰.
constexpr double settling_times = 10;
/// Part of the temperature by which that of a run may be off before the motion counts as another one: what random
/// impulses are off by whose step is 1.4 times as long as friction acts.
constexpr double doubtful_part = 0.5;
/// Standard deviations of a mean that chance does not exceed in a million runs.
constexpr double certain_deviations = 5;
/// Part of a drift by which it may be off without a word, as for Einstein's constant.
constexpr double unnoticed_drift = 0.02;

/// The one thermostat of a model, if all of its kicks are of one temperature and on the whole body.
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

/// What others than thermostats can have given a body since the start [J].
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
  // Rows closer than the time in which the thermostat acts repeat each other.
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
  // A first-order step (of xpbd, in its substeps) moves by a force a little ahead.
  const sim::IntegratorInfo& info = scenario.integrator.info();
  const double ahead = std::tanh(most / 2) / info.force_evaluations;
  if (info.position_order < 2 && ahead > unnoticed_drift)
    note += fmt::format("{}under forces particles drift {:.2g} % too fast, as {} is of first order: take more substeps",
                        note.empty() ? "" : "; ", 100 * ahead, info.name);
  return note;
}

}  // namespace pithball::app
