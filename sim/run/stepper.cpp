#include "sim/run/stepper.hpp"

#include "sim/run/simulator.hpp"

namespace pithball::sim {

KeptStep keep_step(const Stepper& stepper, const Losses& book, double start) {
  KeptStep kept;
  Losses taken = book;
  kept.state = stepper.synchronized(&taken);
  kept.row = energy_of(stepper.model(), kept.state);
  kept.row.step = stepper.n();
  kept.row.losses = taken;
  kept.row.numerical = start - kept.row.conserved();
  return kept;
}

}  // namespace pithball::sim
