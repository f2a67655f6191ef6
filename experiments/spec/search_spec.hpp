#pragma once
#include "experiments/experiment.hpp"
#include "optim/fit.hpp"

namespace pithball::experiments {

/// Reads `fit.starts` and `fit.stages` (`fit` is the node above them) into the problem.
void read_search(Node& fit, const Experiment& base, optim::FitProblem& problem);

}  // namespace pithball::experiments
