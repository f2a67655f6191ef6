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

/// Outcome of a demonstration.
struct DemonstrationOutcome {
  std::string name, status;  ///< status as in summary.json
  sim::Index particles = 0, steps = 0;
  double seconds = 0;
  std::vector<Claim> claims;  ///< if the run failed, a single one that is missed

  double steps_per_second() const { return steps / seconds; }
};

/// The only claim about a run that failed: that it should have completed.
Claim claim_of_failed_run(const std::string& status);

/// The claims of all, each under its demonstration's name, how it ended, how large it is and how fast.
std::vector<ClaimGroup> claims_of(const std::vector<DemonstrationOutcome>& outcomes);

// The claims about the run of each demonstration, in the file of its name.

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
