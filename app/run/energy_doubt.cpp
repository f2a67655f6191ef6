#include "app/run/energy_doubt.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/run/step_remedy.hpp"

namespace pithball::app {
namespace {

/// A run whose energy is off by more than this part of what it moves about shows another motion than that of its
/// forces: ten times what coarse but useful runs show, and a tenth of what a body shows whose energy comes from the
/// steps.
constexpr double doubtful_energy_error = 0.1;

}  // namespace

void doubt_energy(const sim::EnergyBalance& balance, const sim::EnergyRow& start, const diff::Scenario& scenario,
                  optim::RunVerdict& verdict) {
  if (!(balance.max > doubtful_energy_error)) return;
  const double gained = sim::unaccounted_energy(balance.worst, start);
  const StepTrouble trouble = gained > 0 ? StepTrouble::GainedEnergy : StepTrouble::LostEnergy;
  verdict.doubt(
      fmt::format("up to step {} (t = {:g} s) the integration error {} {:.3g} J, {:.3g} times the largest change of "
                  "any kind of energy",
                  balance.worst.step, balance.worst.t, gained > 0 ? "added" : "removed", std::abs(gained), balance.max),
      step_remedy(trouble, scenario));
}

}  // namespace pithball::app
