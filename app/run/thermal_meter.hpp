#pragma once
#include <optional>
#include <string>

#include "diff/rollout/rollout.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::app {

/// Why the heat of a run is not that of its thermostat, and what to change.
struct ThermalDoubt {
  std::string why;     ///< one clause
  std::string remedy;  ///< likewise
};

/// Measures the mean kinetic energy of a run whose whole body has one thermostat, after ten times the time in which
/// this acts, and compares it with k_B T/2 for each degree of freedom.
class ThermalMeter {
 public:
  /// Does nothing in a model without such a thermostat, or with several temperatures.
  explicit ThermalMeter(const diff::Scenario&);
  /// Takes the next kept row, the first being the start.
  void add(const sim::EnergyRow& row);
  /// What is wrong, if the kinetic energy is off by more than half, and five standard deviations of its mean; of an
  /// excess only what nothing but the thermostat can have given counts.
  std::optional<ThermalDoubt> doubt() const;
  /// The heat that the thermostat has given and taken until then [J], of which the energy book has the difference:
  /// k_B T/2 for each degree of freedom in each time in which it acts; infinite of one that acts at once, 0 without
  /// one.
  double exchanged(double t) const;

 private:
  std::optional<sim::ThermalBath> bath_;
  bool may_be_cold_;  // without constraints, which take heat away with their freedoms
  sim::EnergyRow start_;
  long seen_ = 0, rows_ = 0;      // all; those of the mean
  double last_ = 0;               // time of the last row [s]
  double kinetic_ = 0, own_ = 0;  // sums over these rows [J]: of all; without what others gave
};

/// What velocities mean where a thermostat's friction acts in less than a step, and how far xpbd's drift is off; empty
/// if friction is resolved.
std::string coarse_friction_note(const diff::Scenario&);

}  // namespace pithball::app
