#pragma once
#include "app/run/recording_run.hpp"
#include "app/spec/experiment.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::experiments {

/// Records every vertex of the experiment's body, moved by velocity Verlet at a `finer`-th of the experiment's step:
/// data that the fit's own integrator did not make. Coordinates count with `sigma` [m]; `settings.particles` is not
/// read. Throws InvalidArgument, naming `bench`, if the run fails.
optim::Observation record_finely(app::Experiment experiment, sim::Index finer, app::RecordingSettings settings,
                                 double sigma, const std::string& bench);

}  // namespace pithball::experiments
