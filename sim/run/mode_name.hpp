#pragma once
#include <string>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// Description of the motion of a body at x along a mode: "turns about the vertical through the pin", "moves along x",
/// "moves particle 3 along y". `modes` (3N×m) spans the degenerate modes, with zeros for held particles; the
/// description is for one of them with a component along `push` (3N), preferably a simple one.
std::string name_mode(const Model& model, const Points& x, const Eigen::MatrixXd& modes, const Vector& push);

}  // namespace pithball::sim
