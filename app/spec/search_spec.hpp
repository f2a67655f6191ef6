#pragma once
#include "app/spec/experiment.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::app {

/// Reads `fit.starts` and `fit.stages` (`fit`: the node above them).
void read_search(Node& fit, const Experiment& base, optim::SearchStrategy& search);

}  // namespace pithball::app
