#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "sim/force/charge_field.hpp"

namespace pithball::app {

/// Source of a field: the charges of an experiment at one time, and its forces.
struct FieldSource {
  std::string name;            ///< of the experiment
  sim::Model model;            ///< of the particles that are there then, emitted ones too
  sim::SourceCharges charges;  ///< theirs
  bool external = false;       ///< whether external sources count (`sim::FieldOrigin::External`)
};

/// Reads an experiment file (charges at the initial state) or a run folder (charges of trajectory.h5 at the snapshot
/// nearest to `time`, or the last one). Throws InvalidArgument on wrong files, and if `time` is given for an experiment
/// file.
FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external);

}  // namespace pithball::app
