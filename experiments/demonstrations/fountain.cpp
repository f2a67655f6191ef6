#include <algorithm>
#include <cmath>

#include "experiments/demonstrations/demonstration.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// The expected drops in the air if upward velocities v are normally distributed. A flight lasts 2v/g; its height is
/// v²/(2g) at the top and v²/(3g) on average.
struct Flights {
  double drops = 0, age = 0, height = 0;  // number, means [s], [m]
};

Flights promised(const std::vector<sim::Emitter>& emitters, double g) {
  Flights sum;
  for (const sim::Emitter& emitter : emitters) {
    const double v = emitter.velocity[2], spread = emitter.velocity_spread * emitter.velocity_spread;
    sum.drops += emitter.rate * 2 * v / g;
    sum.age += emitter.rate * 2 * (v * v + spread) / (g * g);
    sum.height += emitter.rate * 2 * v * (v * v + 3 * spread) / (3 * g * g);
  }
  return {sum.drops, sum.age / sum.drops, sum.height / sum.drops};
}

}  // namespace

std::vector<Claim> fountain_claims(const DemonstrationRun& run) {
  const sim::Model& model = run.experiment.scenario.model;
  const double g = model.values()[*model.values().find("gravity")].norm();
  const std::vector<sim::Emitter>& emitters = run.experiment.population->emitters;
  const Flights expected = promised(emitters, g);
  const auto& states = run.trajectory.states;
  const auto& rosters = run.trajectory.rosters;
  const auto& energy = run.trajectory.energy;

  // Mean over the second half of the run, when all drops in the air were emitted at the full rate.
  Flights mean;
  double frames = 0;
  for (std::size_t k = states.size() / 2; k < states.size(); ++k, ++frames) {
    for (std::size_t p = 0; p < rosters[k].size(); ++p) {
      if (rosters[k].id[p] < model.particles()) continue;  // particles of the nozzle
      ++mean.drops;
      mean.age += states[k].t - rosters[k].birth_time[p];
      mean.height += states[k].x(2, p);
    }
  }
  mean = {mean.drops / frames, mean.age / mean.drops, mean.height / mean.drops};

  long emitted = 0;
  for (const sim::Emitter& emitter : emitters) emitted += emitter.emitted(states.back().t);
  double drift = 0, carried = 0;
  for (const sim::EnergyRow& row : energy) {
    drift = std::max(drift, std::abs(row.numerical));
    carried = std::max(carried, std::abs(row.losses.sum()));
  }
  // Each time of flight brings several hundred new random drops: means scatter by about 1 %.
  return {claim_within("drops in the air, on average", mean.drops, expected.drops, 0.02 * expected.drops, "",
                       "rate times time of flight, 2 v/g"),
          claim_within("mean age of these", mean.age, expected.age, 0.02 * expected.age, "s", "(v² + σ²)/(g v)"),
          claim_within("mean height of these", mean.height, expected.height, 0.03 * expected.height, "m",
                       "(v² + 3σ²)/(3 g)"),
          claim_within("number of the last drop", rosters.back().id.back(), model.particles() + emitted - 1, 0, "",
                       "drops keep numbers of their own"),
          claim_within("change of energy, in parts of what came and went", drift / carried, 0, 1e-9, "",
                       "what emitters bring and sinks take is in the book")};
}

}  // namespace pithball::experiments
