#pragma once
#include <string>
#include <vector>

#include "app/experiment/fit_spec.hpp"

namespace pithball::app {

/// A part of an experiment file that was added without effect.
struct IdleAddition {
  std::vector<std::string> values = {};  ///< values that it adds: "quadratic_drag"
  std::string settings = {};             ///< its item of `forces:`, as YAML: "drag: {quadratic: 0}", or of `system:`
  std::string replaces = {};             ///< the force whose place the item takes: "coulomb"; empty: none
  bool of_system = false;                ///< `settings` belong to `system:`, not to `forces:`
};

/// A fit of the same experiment, extended by what the model may lack.
struct ExtendedFit {
  FitSpec spec;  ///< of the extended experiment
  /// A candidate that the experiment cannot have.
  struct Rejected {
    std::string name,  ///< of the force in experiment files
        reason;        ///< why, in a phrase
  };
  std::vector<IdleAddition> added;  ///< in the order in which they were added
  std::vector<Rejected> rejected;   ///< what this experiment cannot have, for example because of its integrator
};

/// Adds every force of the registry that can be idle (`sim::ForceInfo::idle`), and a leak of charges and a
/// cubic stiffness of springs, unless the experiment has their values. `problem`: the fit of the document; low, high:
/// corners of the box in which the bodies move [m]; in an empty one (low > high), forces that need a place are left
/// out.
ExtendedFit add_candidate_forces(const ExperimentDocument& document, const optim::FitProblem& problem,
                                 const sim::Vec3& low, const sim::Vec3& high);

/// The models of the problem's scenarios with these additions, but those that need a place: `FitProblem::wider_models`.
std::vector<sim::Model> find_wider_models(const ExperimentDocument& document, const optim::FitProblem& problem);

/// The document with an addition. Throws InvalidArgument if the force whose place it takes is not there.
ExperimentDocument with_addition(ExperimentDocument document, const IdleAddition& addition);

}  // namespace pithball::app
