#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> breaking_chain_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
