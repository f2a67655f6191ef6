#pragma once
#include "app/spec/experiment.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::app {

/// Reads `fit.starts` and `fit.stages` (`fit`: the node above them) into the problem.
void read_search(Node& fit, const Experiment& base, optim::FitProblem& problem);

}  // namespace pithball::app
