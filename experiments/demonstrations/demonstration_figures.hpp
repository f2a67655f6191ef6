#pragma once
#include "experiments/demonstrations/demonstration.hpp"

namespace pithball::experiments {

// What the run of each demonstration shows, in the file of its name.

std::vector<DemonstrationFigure> breaking_chain_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> cloth_on_sphere_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> colliding_bodies_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> dam_break_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> draped_cloth_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> flag_in_wind_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> fountain_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> gas_to_solid_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> tracers_in_vortex_figures(const DemonstrationRun&);
std::vector<DemonstrationFigure> triple_pendulum_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
