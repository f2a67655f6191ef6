#pragma once
#include "datasets/h5md.hpp"
#include "sim/model/model.hpp"

namespace pithball::experiments {

/// What a trajectory file tells of a model besides its states: masses, charges, and springs with their stiffness and
/// rest length.
datasets::H5mdBody trajectory_body(const sim::Model& model);

}  // namespace pithball::experiments
