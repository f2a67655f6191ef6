#pragma once
#include "experiments/particles/demonstration.hpp"

namespace pithball::experiments {

std::vector<DemonstrationFigure> cloth_on_sphere_figures(const DemonstrationRun&);

}  // namespace pithball::experiments
