#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"

namespace pithball::app {

/// What makes the field: an experiment with its charges where they are at one time.
struct FieldSource {
  std::string name;
  Experiment experiment;
  double time = 0;                        ///< [s]
  Points position;                        ///< of all particles [m], 3×N
  Vector charge;                          ///< [C], N
  std::optional<Experiment> test_charge;  ///< one particle of 1 C on which only the external electric forces act
  std::vector<RenameNote> renamed = {};   ///< old names in the experiment file
};

/// Reads an experiment file (charges at its initial state) or a run folder (charges of trajectory.h5 at the snapshot
/// nearest to `time`, or the last one). With `external`, also what acts on a test charge: electric_field and
/// point_charge of the list `forces:`. Throws InvalidArgument on wrong files, and if `time` is given for an experiment
/// file.
FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external);

/// The experiment with a single particle of 1 C for its body and no forces but external electric ones, none of which
/// depends on the body; the particle's place does not matter.
Experiment read_test_charge(ExperimentDocument document);

}  // namespace pithball::app
