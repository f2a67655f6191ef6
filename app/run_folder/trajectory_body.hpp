#pragma once
#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

/// What a trajectory file tells of a model besides its states: masses, charges, and springs with their stiffness and
/// rest length, as they are at time t [s], and which of them have key frames.
datasets::H5mdBody trajectory_body(const sim::Model& model, double t);

/// The same of an experiment's first state, with the names of attributes where particles come and go.
datasets::H5mdBody trajectory_body(const Experiment& experiment);

}  // namespace pithball::app
