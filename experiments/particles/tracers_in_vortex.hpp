#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> tracers_in_vortex_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
