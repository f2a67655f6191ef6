#include "experiments/demonstrations/demonstration.hpp"

#include <fmt/format.h>

#include "app/experiment/experiment_file.hpp"
#include "experiments/shipped/shipped_experiment.hpp"

namespace pithball::experiments {

using namespace app;

const std::vector<Demonstration>& demonstrations() {
  static const std::vector<Demonstration> all{
      {"colliding_bodies",
       "off-center collision of two self-gravitating bodies of 1,472 hard spheres in total",
       {"system.mesh.parts.0.mesh.lattice.radius=0.25", "system.mesh.parts.1.mesh.lattice.radius=0.25",
        "simulation.duration=3"},
       colliding_bodies_claims},
      {"gas_to_solid",
       "a Lennard-Jones gas that falls on a cold floor and freezes",
       {"system.mesh.lattice.max=[15.4, 0, 16]", "simulation.duration=150"},
       gas_to_solid_claims},
      {"breaking_chain",
       "a chain of 200 links that hits a post, breaks, and sends the blow along itself",
       {"simulation.integrator.xpbd.substeps=20"},
       breaking_chain_claims},
      {"cloth_on_sphere",
       "a cloth that falls on a sphere and a floor",
       {"system.mesh.grid.segments=[12, 12]"},
       cloth_on_sphere_claims},
      {"draped_cloth",
       "the same cloth in implicit steps, on obstacles that push it out",
       {"system.mesh.grid.segments=[12, 12]"},
       draped_cloth_claims},
      {"dam_break",
       "a column of water that runs along a tank and comes to rest (SPH)",
       {"system.mesh.parts.0.mesh.lattice.spacing=0.05", "system.mesh.parts.1.mesh.lattice.spacing=0.05",
        "system.mesh.parts.2.mesh.lattice.spacing=0.05", "system.mesh.parts.3.mesh.lattice.spacing=0.05",
        "system.mesh.parts.1.mesh.lattice.min=[-0.15, 0, -0.15]", "system.mesh.parts.1.mesh.lattice.max=[1.65, 0, 0]",
        "system.mesh.parts.2.mesh.lattice.min=[-0.15, 0, 0]", "system.mesh.parts.3.mesh.lattice.max=[1.65, 0, 1.2]",
        "system.mass=2.5", "forces.sph.smoothing_length=0.075", "forces.sph.viscosity=20",
        "simulation.time_step=0.4 ms", "simulation.duration=3"},
       dam_break_claims},
      {"flag_in_wind",
       "a flag on a pole, of springs with dampers, in a gusty wind",
       {"simulation.duration=4"},
       flag_in_wind_claims},
      {"fountain",
       "drops emitted by nozzles and removed at the water surface",
       {"simulation.duration=5"},
       fountain_claims},
      {"magnetic_bottle",
       "protons that turn back where a magnetic field is strong",
       {"simulation.duration=0.6 ms"},
       magnetic_bottle_claims},
      {"tracers_in_vortex", "tracers wound up by a vortex", {"simulation.duration=1"}, tracers_in_vortex_claims},
      {"triple_pendulum",
       "three weights on rigid rods, with constraints",
       {"simulation.duration=2"},
       triple_pendulum_claims},
  };
  return all;
}

Experiment demonstration_experiment(const Demonstration& demonstration, bool quick) {
  std::vector<Override> overrides;
  if (quick)
    for (const char* change : demonstration.quick) overrides.push_back(parse_override(change));
  return read_experiment(
      load_document(shipped_experiment("demonstrations/" + std::string(demonstration.name) + ".yaml"), overrides));
}

Claim claim_of_failed_run(const std::string& status) {
  return claim_word("the run comes to its end", status, "ok", "what it shows is measured on the whole of it");
}

std::vector<ClaimGroup> claims_of(const std::vector<DemonstrationOutcome>& outcomes) {
  std::vector<ClaimGroup> groups;
  for (const DemonstrationOutcome& outcome : outcomes)
    groups.push_back(
        {fmt::format("{}: {}, {} particles, {} steps in {:.3g} s, {:.3g} a second", outcome.name, outcome.status,
                     outcome.particles, outcome.steps, outcome.seconds, outcome.steps_per_second()),
         outcome.claims});
  return groups;
}

}  // namespace pithball::experiments
