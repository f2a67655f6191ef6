#pragma once
#include "app/run/run_verdict.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Makes a good run doubtful if the error of its energy exceeds a tenth of the exchanged energy. `start`: its first
/// row.
void doubt_energy(const sim::EnergyBalance& balance, const sim::EnergyRow& start, const diff::Scenario& scenario,
                  RunVerdict& verdict);

}  // namespace pithball::app
