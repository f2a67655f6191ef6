#pragma once
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "sim/integrator/scheme.hpp"

namespace pithball::experiments {

/// One of the schemes that are compared.
struct Method {
  std::string label;  ///< "imex_euler", "theta (theta 0.5)": its name and the settings that were written
  sim::Scheme scheme;
};

/// The section `compare:` of an experiment, read and checked.
struct CompareSpec {
  Experiment base;
  std::vector<Method> methods;
  std::vector<double> time_steps;  ///< [s], each at most the duration
  Method reference;
  double reference_step = 0;  ///< [s]
  Tree filled;                ///< the document with every default filled in
};

/// Reads the whole document for a comparison; unknown keys are refused. Throws InvalidArgument at whatever cannot be
/// compared: nothing to compare, a method or step twice, a step longer than the simulated time.
CompareSpec read_compare(const ExperimentDocument& document);

/// Asks what `read_compare` asks, for the page of keys.
void describe_compare(Node& root, const Experiment& placeholder);

}  // namespace pithball::experiments
