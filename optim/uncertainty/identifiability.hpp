#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// Tolerance for the symmetry in a Jacobian that was computed with tangents: with stages converged to the default
/// 1e-12, 4e-8 was observed in a recording of 20 steps, and 1e-11 with stages converged to rounding. Data that break
/// the symmetry by less would have to be a million times more accurate than the others.
inline constexpr double scale_symmetry_tolerance = 1e-6;

/// The motion does not change if every force and every mass is multiplied by one factor λ: m, k, c and drag
/// coefficients by λ, compliances and the gravitational constant by 1/λ; of the electric values, each charge and each
/// external field or charge by λ^½ (forces q_i q_j and q E then grow by λ), or, if the body's own charges do not
/// interact, q by λ and the fields not at all. Gravity, rest lengths and the initial state do not change. Each value
/// declares its behavior by its `sim::ValueScaling`.
struct ScaleSymmetry {
  Vector direction;                  ///< dθ/d(log λ) of the free parameters, P
  std::vector<std::string> members;  ///< the values that take part, as powers that grow with λ: "mass", "charge²",
                                     ///< "1/pin_compliance"

  /// "mass, stiffness and charge² can all be multiplied by one factor …; fix one of them, preferably a mass".
  std::string sentence() const;
};

/// Whether the free parameters include this symmetry at the θ of J (R×P): the direction changes the residuals by less
/// than `tolerance` of the changes by its components alone. It needs at least two values with an effect; a known value
/// or force breaks it. Throws InvalidArgument if sizes disagree.
std::optional<ScaleSymmetry> find_scale_symmetry(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                                 double tolerance = scale_symmetry_tolerance);

/// Removes from J (R×P) the component along its symmetry, if it has one. It consists of rounding errors, which for very
/// accurate data would outweigh a prior on the scale.
void remove_scale_symmetry(const ParameterMap& map, const Vector& theta, Eigen::MatrixXd& J);

/// Finds the pairs of parameters of which the data determine only a ratio or a product: a sloppy direction of `u`, from
/// J (R×P) at theta, with two members (charges, stiffnesses and the like; no poses, no initial states) whose logarithms
/// change in the proportion ±1, ±2 or ±½, and along which the interval reaches further than a factor of
/// `identifiable_factor`. One sentence each: "only charge/linear_drag is determined, …".
std::vector<std::string> describe_lone_combinations(const ParameterMap& map, const Vector& theta,
                                                    const Eigen::MatrixXd& J, const Uncertainty& u);

}  // namespace pithball::optim
