#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/backend/backend.hpp"
#include "app/spec/experiment.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {

/// One method of a comparison: an integrator with a Coulomb method, or a backend.
struct Method {
  /// "imex_euler", "theta (theta 0.5)", "imex_euler, fmm (tolerance 1e-4)", "lammps": names with the settings in the
  /// file.
  std::string label;
  sim::IntegratorChoice integrator;      ///< of Pithball's own steps; a backend uses velocity Verlet
  const BackendInfo* backend = nullptr;  ///< null: Pithball
  std::shared_ptr<const sim::CoulombForce> coulomb =
      {};  ///< replaces the experiment's Coulomb force; null: the experiment's own
};

/// The section `compare:` of an experiment, read and checked.
struct CompareSpec {
  Experiment base;                 ///< the experiment as written
  std::vector<Method> methods;     ///< all different
  std::vector<double> time_steps;  ///< [s], each at most the duration
  Method reference;                ///< with which all others are compared
  double reference_step = 0;       ///< [s]
  Tree filled;                     ///< the document with every default filled in
};

/// Reads the whole document for a comparison; rejects unknown keys. Throws InvalidArgument if nothing is to be
/// compared, a method or step occurs twice, or a step is longer than the simulated time.
CompareSpec read_compare(const ExperimentDocument& document);

/// The experiment with the method's Coulomb force.
diff::Scenario scenario_of(const CompareSpec& spec, const Method& method);

/// The same within a reading pass: the caller then reads further sections, rejects unknown keys and takes the filled-in
/// document.
CompareSpec read_compare_sections(Reading& reading, Node& root, BuiltMeshes& meshes);

/// Asks the same questions as `read_compare`, for the page of keys.
void describe_compare(Node& root, const Experiment& placeholder);

}  // namespace pithball::app
