#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/backend/backend.hpp"
#include "app/spec/experiment.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {

/// One of the methods that are compared: an integrator of ours with a Coulomb sum, or another program.
struct Method {
  /// "imex_euler", "theta (theta 0.5)", "imex_euler, fmm (tolerance 1e-4)", "lammps": names and the settings that were
  /// written.
  std::string label;
  sim::IntegratorChoice integrator;
  const BackendInfo* backend = nullptr;                   ///< whose steps; null: ours
  std::shared_ptr<const sim::CoulombForce> coulomb = {};  ///< in place of the experiment's; null: the experiment's own
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

/// Reads the whole document for a comparison; unknown keys are rejected. Throws InvalidArgument at whatever cannot be
/// compared: nothing to compare, a method or step twice, a step longer than the simulated time.
CompareSpec read_compare(const ExperimentDocument& document);

/// The experiment as the method sees it: with the method's Coulomb sum.
diff::Scenario scenario_of(const CompareSpec& spec, const Method& method);

/// The same within a reading pass that goes on: the caller reads further sections, rejects unknown keys and takes what
/// was filled in.
CompareSpec read_compare_sections(Reading& reading, Node& root, BuiltMeshes& meshes);

/// Asks what `read_compare` asks, for the page of keys.
void describe_compare(Node& root, const Experiment& placeholder);

}  // namespace pithball::app
