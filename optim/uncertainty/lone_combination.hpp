#pragma once
#include <string>
#include <vector>

#include "optim/parameter/parameter_map.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// Says of which pairs of parameters the data know only a ratio or a product: a sloppy direction of `u`, from J (R×P)
/// at theta, with two members (charges, stiffnesses and the like; no poses, no initial states) whose logarithms change
/// in the proportion ±1, ±2 or ±½, and along which the interval reaches further than a factor of `identifiable_factor`.
/// One sentence each: "only charge/linear_drag is determined, …".
std::vector<std::string> say_lone_combinations(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                               const Uncertainty& u);

}  // namespace pithball::optim
