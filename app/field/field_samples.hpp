#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "sim/force/charge_field.hpp"

namespace pithball::app {

/// Source of a field: the charges of an experiment at one time, and its forces.
struct FieldSource {
  std::string name;            ///< of the experiment
  sim::Model model;            ///< of the particles that are there then, emitted ones too
  sim::SourceCharges charges;  ///< charges of these particles
  bool external = false;       ///< whether external sources count (`sim::FieldOrigin::External`)
};

/// Reads an experiment file (charges at the initial state) or a run folder (charges of trajectory.h5 at the snapshot
/// nearest to `time`, or the last one). Throws InvalidArgument on wrong files, and if `time` is given for an experiment
/// file.
FieldSource read_field_source(const std::string& file, const std::vector<Override>& overrides,
                              std::optional<double> time, bool external);

/// Field and potential at sample points; NaN where there is no value: on a charge, behind an image plane, outside a
/// table.
struct FieldSamples : sim::ChargeField {
  std::vector<std::string> forces = {};  ///< whose fields were added up, in the order of the experiment: "coulomb"
  bool assumed_coulomb = false;          ///< whether the last of them, `coulomb`, is not in the experiment
  std::string method = {};               ///< Coulomb method of the sum over the charges; empty: none
  sim::Index singular = 0;               ///< number of NaN points
};

/// The field at the points x: the sum of the fields of all forces on a test charge (`sim::ActsOnTestCharge`), those of
/// external sources only if the source counts them. Charges in an experiment without a force between charges have the
/// field of `coulomb` with method `auto`.
FieldSamples compute_field(const FieldSource& source, const sim::Points& x);

}  // namespace pithball::app
