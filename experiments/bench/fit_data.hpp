#pragma once
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/run/recording_run.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::experiments {

/// A square membrane of about this many vertices: a cloth with both diagonals in every cell, stretched by a fifth into
/// a frame that holds its border. (All springs are in tension, so that every balance of forces depends on them, and
/// nothing buckles.)
app::ExperimentDocument membrane_document(sim::Index vertices);

/// Gives the free vertices of a membrane their velocities: a superposition of standing waves of 8 to 24 cells in every
/// direction, 0.5 m/s each, from a fixed seed. Springs of every direction are stretched by a few per cent, each with a
/// time course of its own; variations from cell to cell would be beyond the integrator.
void pluck(diff::Scenario& scenario);

/// The springs with an end that moves: the others have no effect.
std::vector<sim::Index> moving_springs(const sim::Topology& topology);

/// Records every vertex of the experiment's body, moved by velocity Verlet at a `finer`-th of the experiment's step:
/// data that the fit's own integrator did not make. Coordinates count with `sigma` [m]; `settings.particles` is not
/// read. Throws InvalidArgument, naming `bench`, if the run fails.
optim::Observation record_finely(app::Experiment experiment, sim::Index finer, app::RecordingSettings settings,
                                 double sigma, const std::string& bench);

}  // namespace pithball::experiments
