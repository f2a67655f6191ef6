#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// What is left of the symmetry in a Jacobian by tangents: with stages converged to the default 1e-12, 4e-8 was seen in
/// a recording of 20 steps, and 1e-11 with stages converged to rounding. Data that break it by less would have to be a
/// million times better than those that tell the rest.
inline constexpr double scale_symmetry_tolerance = 1e-6;

/// A body moves the same if every force and every mass grows by one factor λ: m, k, c and drag coefficients by λ,
/// compliances and the gravitational constant by 1/λ; of what acts on charges, by λ^½ each charge and each external
/// field or charge (forces q_i q_j and q E then grow by λ), or, where the body's own charges do not act on each other,
/// q by λ and the fields not at all. Gravity, rest lengths and the initial state stay as they are. Each value says by
/// its `sim::ValueScaling` what it does.
struct ScaleSymmetry {
  Vector direction;                  ///< dθ/d(log λ) of the free parameters, P
  std::vector<std::string> members;  ///< the values that take part, as they grow with λ: "mass", "charge²",
                                     ///< "1/pin_compliance"

  /// "mass, stiffness and charge² can all be multiplied by one factor …; fix one of them, preferably a mass".
  std::string sentence() const;
};

/// Whether the free parameters include this symmetry where J (R×P, at θ) was taken: whether the direction changes the
/// residuals by less than `tolerance` of what its parts do alone. It takes at least two values that do matter; a value
/// that is known, or a known force, makes it none. Throws InvalidArgument if sizes do not agree.
std::optional<ScaleSymmetry> find_scale_symmetry(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                                 double tolerance = scale_symmetry_tolerance);

/// Takes out of J (R×P) what it tells along its own symmetry, if it has one: that is rounding, by which data would
/// outweigh a prior that knows the scale wherever they are sharp enough.
void remove_scale_symmetry(const ParameterMap& map, const Vector& theta, Eigen::MatrixXd& J);

}  // namespace pithball::optim
