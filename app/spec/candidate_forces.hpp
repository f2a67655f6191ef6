#pragma once
#include <string>
#include <vector>

#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// A force that a model may lack, as an item of `forces:` that has no effect: its value is 0.
struct CandidateForce {
  std::string value;     ///< "quadratic_drag"
  std::string settings;  ///< YAML: "drag: {quadratic: 0}"
};

/// Those that a diagnosis tries. A new force has one line here if its strength can be 0.
const std::vector<CandidateForce>& candidate_forces();

/// A fit of the same experiment to which candidate forces were added.
struct ExtendedFit {
  FitSpec spec;
  struct Rejected {
    std::string value, reason;
  };
  std::vector<CandidateForce> added;
  std::vector<Rejected> rejected;  ///< forces that this experiment cannot have, for example because of its integrator
};

/// Adds every candidate force whose value the experiment does not have yet.
ExtendedFit add_candidate_forces(const ExperimentDocument& document);

/// The document with one more item of `forces:`.
ExperimentDocument with_force(ExperimentDocument document, const std::string& settings);

}  // namespace pithball::app
