#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> dam_break_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
