#include "experiments/demonstrations/demonstration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/demonstrations/demonstration_figures.hpp"
#include "experiments/shipped/shipped_experiment.hpp"

namespace pithball::experiments {

using namespace app;

bool DemonstrationFigure::holds() const { return std::abs(value - expected) <= tolerance; }

const std::vector<Demonstration>& demonstrations() {
  static const std::vector<Demonstration> all{
      {"colliding_bodies",
       "two bodies of 1,472 hard spheres in all, held together by their own gravity, that meet off-centre",
       {"system.mesh.parts.0.mesh.lattice.radius=0.25", "system.mesh.parts.1.mesh.lattice.radius=0.25",
        "simulation.duration=3"},
       colliding_bodies_figures},
      {"gas_to_solid",
       "a Lennard-Jones gas that falls on a cold floor and freezes",
       {"system.mesh.lattice.max=[15.4, 0, 16]", "simulation.duration=150"},
       gas_to_solid_figures},
      {"breaking_chain",
       "a chain of 200 links that hits a post, breaks, and sends the blow along itself",
       {"simulation.integrator.xpbd.substeps=20"},
       breaking_chain_figures},
      {"cloth_on_sphere",
       "a cloth that falls on a sphere and a floor",
       {"system.mesh.grid.segments=[12, 12]"},
       cloth_on_sphere_figures},
      {"draped_cloth",
       "the same cloth in implicit steps, on obstacles that push it out",
       {"system.mesh.grid.segments=[12, 12]"},
       draped_cloth_figures},
      {"dam_break",
       "a column of water that runs along a tank and comes to rest (SPH)",
       {"system.mesh.parts.0.mesh.lattice.spacing=0.05", "system.mesh.parts.1.mesh.lattice.spacing=0.05",
        "system.mesh.parts.2.mesh.lattice.spacing=0.05", "system.mesh.parts.3.mesh.lattice.spacing=0.05",
        "system.mesh.parts.1.mesh.lattice.min=[-0.15, 0, -0.15]", "system.mesh.parts.1.mesh.lattice.max=[1.65, 0, 0]",
        "system.mesh.parts.2.mesh.lattice.min=[-0.15, 0, 0]", "system.mesh.parts.3.mesh.lattice.max=[1.65, 0, 1.2]",
        "system.mass=2.5", "forces.sph.smoothing_length=0.075", "forces.sph.viscosity=20",
        "simulation.time_step=0.4 ms", "simulation.duration=3"},
       dam_break_figures},
      {"flag_in_wind",
       "a flag on a pole, of springs with dampers, in a gusty wind",
       {"simulation.duration=4"},
       flag_in_wind_figures},
      {"fountain", "drops that nozzles emit and the water takes back", {"simulation.duration=5"}, fountain_figures},
      {"tracers_in_vortex", "tracers that a vortex winds up", {"simulation.duration=1"}, tracers_in_vortex_figures},
      {"triple_pendulum", "three weights on rods, by constraints", {"simulation.duration=2"}, triple_pendulum_figures},
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

bool DemonstrationOutcome::holds() const {
  return !figures.empty() &&
         std::all_of(figures.begin(), figures.end(), [](const auto& figure) { return figure.holds(); });
}

std::string text_of_demonstrations(const std::vector<DemonstrationOutcome>& outcomes) {
  std::string text;
  for (const DemonstrationOutcome& outcome : outcomes) {
    text += fmt::format("{}: {}, {} particles, {} steps in {:.3g} s, {:.3g} a second\n", outcome.name, outcome.status,
                        outcome.particles, outcome.steps, outcome.seconds, outcome.steps_per_second());
    for (const DemonstrationFigure& figure : outcome.figures)
      text +=
          fmt::format("  {:<46} {:>10.5g} {:<7} expected {:.5g} ± {:.2g}: {} ({})\n", figure.quantity, figure.value,
                      figure.unit, figure.expected, figure.tolerance, figure.holds() ? "holds" : "FAILS", figure.why);
  }
  return text;
}

}  // namespace pithball::experiments
