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
/// With more than this multiple of the energy that forces and start gave it, a body moves hundreds of times too fast:
/// nothing of its motion is left.
constexpr double absurd_energy = 1e5;

}  // namespace

bool is_doubtful(const sim::EnergyBalance& balance, double heat) {
  return balance.max > doubtful_energy_error && std::abs(balance.added) > doubtful_energy_error * heat;
}

void doubt_energy(const sim::EnergyBalance& balance, const diff::Scenario& scenario,
                  const std::optional<sim::CloseApproach>& approach, optim::RunVerdict& verdict) {
  if (!is_doubtful(balance)) return;
  const std::string when = fmt::format("step {} (t = {:g} s)", balance.worst.step, balance.worst.t);
  const std::string where = approach ? ": " + approach->sentence() : "";
  if (balance.own > 0 && balance.added > absurd_energy * balance.own)
    return verdict.fail(
        optim::RunStatus::Diverged,
        fmt::format("diverged: up to {} the integration error added {:.3g} J, {:.2g} times the energy of the motion{}",
                    when, balance.added, balance.added / balance.own, where),
        step_remedy(StepTrouble::GainedEnergy, scenario, approach));
  const StepTrouble trouble = balance.added > 0 ? StepTrouble::GainedEnergy : StepTrouble::LostEnergy;
  verdict.doubt(
      fmt::format("up to {} the integration error {} {:.3g} J, {:.3g} times the largest change of any kind of energy{}",
                  when, balance.added > 0 ? "added" : "removed", std::abs(balance.added), balance.max, where),
      step_remedy(trouble, scenario, approach));
}

}  // namespace pithball::app
