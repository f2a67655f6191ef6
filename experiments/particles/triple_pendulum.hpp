#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> triple_pendulum_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
