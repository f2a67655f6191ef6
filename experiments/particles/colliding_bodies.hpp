#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> colliding_bodies_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
