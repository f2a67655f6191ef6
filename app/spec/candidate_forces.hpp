#pragma once
#include <string>
#include <vector>

#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// A force that was added to an experiment without effect: its value is 0.
struct AddedForce {
  std::string value;     ///< that it adds: "quadratic_drag"
  std::string settings;  ///< its item of `forces:`, as YAML: "drag: {quadratic: 0}"
};

/// A fit of the same experiment with forces that it may lack.
struct ExtendedFit {
  FitSpec spec;
  struct Rejected {
    std::string force, reason;
  };
  std::vector<AddedForce> added;
  std::vector<Rejected> rejected;  ///< forces that this experiment cannot have, for example because of its integrator
};

/// Adds every force of the registry that can be idle (`sim::ForceInfo::idle`) and whose value the experiment does not
/// have yet.
ExtendedFit add_candidate_forces(const ExperimentDocument& document);

/// The document with one more item of `forces:`.
ExperimentDocument with_force(ExperimentDocument document, const std::string& settings);

}  // namespace pithball::app
