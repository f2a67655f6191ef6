#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/backend/backend.hpp"
#include "app/experiment/experiment.hpp"
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

/// What errors of the energy are relative to. The zero of the total energy is arbitrary; papers divide by it.
enum class EnergyScale {
  Exchanged,  ///< the energy that the reference exchanges between its kinds, as in the summary of `simulate`
  Total,      ///< the largest total energy of the reference, with its losses
};

/// "exchanged", "total": the words in files.
std::string to_string(EnergyScale scale);

/// The section `compare:` of an experiment, read and checked.
struct CompareSpec {
  Experiment base;                                    ///< the experiment as written
  std::vector<Method> methods;                        ///< all different
  std::vector<double> time_steps;                     ///< [s], each at most the duration
  Method reference;                                   ///< with which all others are compared
  double reference_step = 0;                          ///< [s]
  EnergyScale energy_scale = EnergyScale::Exchanged;  ///< of energy errors
  Tree filled;                                        ///< the document with every default filled in
};

/// Reads the whole document for a comparison; rejects unknown keys. Throws InvalidArgument if nothing is to be
/// compared, a method or step occurs twice, or a step is longer than the simulated time.
CompareSpec read_compare(const ExperimentDocument& document);

/// The experiment with the method's Coulomb force.
diff::Scenario scenario_of(const CompareSpec& spec, const Method& method);

/// The same within a reading pass: the caller then reads further sections, rejects unknown keys and takes the filled-in
/// document.
CompareSpec read_compare_sections(Reading& reading, Node& root, BuiltMeshes& meshes);

/// Queries the same keys as `read_compare`, for the page of keys.
void describe_compare(Node& root, const Experiment& placeholder);

/// One axis of a scan: a key of the experiment and its values.
struct ScanAxis {
  std::string key;                  ///< "system.charge"
  std::vector<std::string> values;  ///< as written: "6 uC"
};

/// The comparison at one point of the grid.
struct ScanCell {
  std::vector<std::string> values;  ///< one for each axis
  CompareSpec compare;              ///< the experiment with these values
};

/// The section `scan:` of an experiment, read and checked: the same comparison for every combination of values.
struct ScanSpec {
  std::string name;             ///< of the experiment
  std::vector<ScanAxis> axes;   ///< one or two
  std::vector<ScanCell> cells;  ///< the last axis fastest
  Tree filled;                  ///< the document with every default filled in
};

/// Reads the whole document once for each point of the grid, so that all errors are found before the first run. Rejects
/// unknown keys. Throws InvalidArgument.
ScanSpec read_scan(const ExperimentDocument& document);

/// Queries the same keys as `read_scan`, for the page of keys.
void describe_scan(Node& root);

}  // namespace pithball::app
