#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> gas_to_solid_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
