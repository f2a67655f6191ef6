#pragma once
#include "app/field/field_source.hpp"

namespace pithball::app {

/// Field and potential at sample points.
struct FieldSamples {
  Points field;               ///< −∇φ [V/m], 3×M; NaN at a point on a charge
  Vector potential;           ///< φ [V], M; NaN likewise
  bool has_potential = true;  ///< false: an external field has none
  Index singular = 0;         ///< number of NaN points
  std::string method;         ///< Coulomb method of the sum
};

/// The field of the charges at the points x, computed with the Coulomb method of the experiment's force `coulomb`
/// (`auto` if it has none): the points are added to its plan as zero charges. A point on a charge gets NaN, unless the
/// force is softened. External electric forces are added if the source has a test charge; their potential is the energy
/// of the test charge, for a uniform field relative to the origin.
FieldSamples compute_field(const FieldSource& source, const Points& x);

}  // namespace pithball::app
