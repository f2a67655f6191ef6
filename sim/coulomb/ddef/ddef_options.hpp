#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Which charges are near a charge, as the paper's text says it, as its Algorithm 1 says it, or put right.
enum class DdefVariant { PaperText, PaperAlgorithm, Consistent };

/// What becomes of the field of charges that are not near.
enum class DdefFarField { Interpolate, Ignore };

/// Settings of the method `ddef`.
struct DdefOptions {
  Index points = 1000;  ///< m, Halton points in the box around the charges, ≥ 1; its 8 corners come on top
  DdefVariant variant = DdefVariant::Consistent;
  DdefFarField far_field = DdefFarField::Interpolate;
};

}  // namespace pithball::sim
