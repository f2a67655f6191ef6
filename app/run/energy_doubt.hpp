#pragma once
#include "diff/rollout/rollout.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Makes a good run doubtful if the error of its energy exceeds a tenth of the exchanged energy. `start`: its first
/// row.
void doubt_energy(const sim::EnergyBalance& balance, const sim::EnergyRow& start, const diff::Scenario& scenario,
                  optim::RunVerdict& verdict);

}  // namespace pithball::app
