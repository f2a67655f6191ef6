#pragma once
#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

/// The part of a model that a trajectory file stores besides its states: masses, charges, and springs with stiffness
/// and rest length, at time t [s], and which of them have key frames.
datasets::H5mdBody trajectory_body(const sim::Model& model, double t);

/// The same for an experiment's first state, with the names of attributes if the number of particles changes.
datasets::H5mdBody trajectory_body(const Experiment& experiment);

}  // namespace pithball::app
