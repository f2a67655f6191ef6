#pragma once
#include <vector>

#include "app/run/design_candidates.hpp"

namespace pithball::app {

/// A design as numbers of settings and blocks of DesignCandidates.
struct FoundDesign {
  std::vector<std::size_t> settings;  ///< of each recording
  optim::ChosenBlocks markers;        ///< blocks of DesignCandidates::pool
  DesignNumbers numbers;              ///< of all `vary`, as fractions of their intervals
  /// Mean standard errors with the numbers in the file, divided by those of the found ones; 1: none are better.
  double waveform_gain = 1;
  long evaluations = 0;  ///< of the criterion
};

/// Searches for the design with the smallest criterion: recordings greedily and by exchange, each with its own choice
/// of markers; then the numbers that vary, by projected gradients from the file and from cosines over the interval;
/// then recordings and markers again. Throws InvalidArgument if no candidate can be simulated or paid.
FoundDesign search_design(const OptimizeSpec& optimize, DesignCandidates& candidates);

}  // namespace pithball::app
