#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> flag_in_wind_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
