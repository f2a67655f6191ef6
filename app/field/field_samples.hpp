#pragma once
#include "app/field/field_source.hpp"

namespace pithball::app {

/// Field and potential at sample points.
struct FieldSamples {
  Points field;               ///< −∇φ [V/m], 3×M; NaN at a point that lies on a charge
  Vector potential;           ///< φ [V], M; NaN likewise
  bool has_potential = true;  ///< false: an external field has none
  Index singular = 0;         ///< points with NaN
  std::string method;         ///< of the sum over the charges
};

/// The field of the charges at the points x, by the sum that the experiment's force `coulomb` uses (method `auto` where
/// it has none): points without charge are added to its plan. A point that coincides with a charge gets NaN, unless the
/// force is softened. External electric forces are added if the source has a test charge; their potential is that of
/// the test charge's energy, a uniform field's being 0 at the origin.
FieldSamples compute_field(const FieldSource& source, const Points& x);

}  // namespace pithball::app
