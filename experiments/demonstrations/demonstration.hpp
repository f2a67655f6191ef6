#pragma once
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "experiments/claim/claim.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

/// What a finished run gives a demonstration to measure.
struct DemonstrationRun {
  const app::Experiment& experiment;
  const sim::Trajectory& trajectory;  ///< states and energies that were kept

  const sim::Model& model() const { return experiment.scenario.model; }
  /// The entries of the model's first block of values of that name.
  sim::Vector value(const std::string& name) const { return model().values()[model().values().find(name).value()]; }
};

/// A motion worth looking at, with numbers that show that it is right. Its experiment file NAME.yaml lies beside its
/// code.
struct Demonstration {
  const char* name;
  const char* summary;             ///< one sentence
  std::vector<const char*> quick;  ///< path.to.key=value: what makes it small
  std::vector<Claim> (*claims)(const DemonstrationRun&);
};

/// All of them.
const std::vector<Demonstration>& demonstrations();

/// The experiment of a demonstration, whole or small. Throws InvalidArgument if its file is missing.
app::Experiment demonstration_experiment(const Demonstration&, bool quick);

/// What became of one.
struct DemonstrationOutcome {
  std::string name, status;  ///< status as in summary.json
  sim::Index particles = 0, steps = 0;
  double seconds = 0;
  std::vector<Claim> claims;  ///< where the run failed one that is missed

  double steps_per_second() const { return steps / seconds; }
};

/// What is left to claim of a run that failed: that it should have come to its end.
Claim claim_of_failed_run(const std::string& status);

/// The claims of all, each under its demonstration's name, how it ended, how large it is and how fast.
std::vector<ClaimGroup> claims_of(const std::vector<DemonstrationOutcome>& outcomes);

// What the run of each demonstration is held against, in the file of its name.

std::vector<Claim> breaking_chain_claims(const DemonstrationRun&);
std::vector<Claim> cloth_on_sphere_claims(const DemonstrationRun&);
std::vector<Claim> colliding_bodies_claims(const DemonstrationRun&);
std::vector<Claim> dam_break_claims(const DemonstrationRun&);
std::vector<Claim> draped_cloth_claims(const DemonstrationRun&);
std::vector<Claim> flag_in_wind_claims(const DemonstrationRun&);
std::vector<Claim> fountain_claims(const DemonstrationRun&);
std::vector<Claim> gas_to_solid_claims(const DemonstrationRun&);
std::vector<Claim> magnetic_bottle_claims(const DemonstrationRun&);
std::vector<Claim> tracers_in_vortex_claims(const DemonstrationRun&);
std::vector<Claim> triple_pendulum_claims(const DemonstrationRun&);

}  // namespace pithball::experiments
