#pragma once
#include <optional>

#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/close_approach.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Whether a run's energy says that its motion is not that of its forces. `heat`: what a thermostat has given and taken
/// on the way [J], beside which an error counts, too.
bool is_doubtful(const sim::EnergyBalance& balance, double heat = 0);

/// Makes a good run doubtful if the error of its energy exceeds a tenth of the exchanged energy, and diverged if it
/// exceeds 100,000 times the energy of the motion itself. `approach`: what came closer than the steps resolve.
void doubt_energy(const sim::EnergyBalance& balance, const diff::Scenario& scenario,
                  const std::optional<sim::CloseApproach>& approach, optim::RunVerdict& verdict);

}  // namespace pithball::app
