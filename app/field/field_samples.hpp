#pragma once
#include "app/field/field_source.hpp"

namespace pithball::app {

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
