#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Definition of near charges: as in the paper's text, as in its Algorithm 1, or corrected.
enum class DdefVariant { PaperText, PaperAlgorithm, Consistent };

/// Treatment of the field of far charges.
enum class DdefFarField { Interpolate, Ignore };

/// Settings of the method `ddef`.
struct DdefOptions {
  Index points = 1000;  ///< m, Halton points in the box around the charges, ≥ 1; its 8 corners come on top
  DdefVariant variant = DdefVariant::Consistent;       ///< which charges are near
  DdefFarField far_field = DdefFarField::Interpolate;  ///< of charges that are not near; ignored, they exert no force
};

}  // namespace pithball::sim
