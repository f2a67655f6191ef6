#pragma once
#include <string>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// In words, how a body at x moves along a mode: "turns about the vertical through the pin", "moves along x", "moves
/// particle 3 along y". `modes` (3N×m) spans the motions that are alike, with zeros for held particles; named is one of
/// them in which `push` (3N) has a part, a plain one if there is any.
std::string name_mode(const Model& model, const Points& x, const Eigen::MatrixXd& modes, const Vector& push);

}  // namespace pithball::sim
