#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"

namespace pithball::app {

/// Source of a field: an experiment with its charges at their positions at one time.
struct FieldSource {
  std::string name;                       ///< of the experiment
  Experiment experiment;                  ///< with the settings of the Coulomb force
  double time = 0;                        ///< [s]
  Points position;                        ///< of all particles [m], 3×N
  Vector charge;                          ///< [C], N
  std::optional<Experiment> test_charge;  ///< one particle of 1 C on which only the external electric forces act
  std::vector<RenameNote> renamed = {};   ///< earlier names in the experiment file
};

/// Reads an experiment file (charges at the initial state) or a run folder (charges of trajectory.h5 at the snapshot
/// nearest to `time`, or the last one). With `external`, also reads the forces on a test charge: electric_field and
/// point_charge in the list `forces:`. Throws InvalidArgument on wrong files, and if `time` is given for an experiment
/// file.
FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external);

/// The experiment with a single particle of 1 C as its body and only external electric forces, which do not depend on
/// the body; its position does not matter.
Experiment read_test_charge(ExperimentDocument document);

}  // namespace pithball::app
