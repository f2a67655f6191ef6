#pragma once
#include "datasets/h5md.hpp"
#include "sim/model/model.hpp"

namespace pithball::experiments {

/// What a trajectory file tells of a model besides its states: masses, charges, and springs with their stiffness and
/// rest length, as they are at time t [s]: the first state's.
datasets::H5mdBody trajectory_body(const sim::Model& model, double t);

}  // namespace pithball::experiments
