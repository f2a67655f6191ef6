#pragma once
#include <vector>

#include "app/spec/experiment.hpp"

namespace pithball::experiments {

/// A square membrane of about so many vertices: a cloth with both diagonals in every cell, stretched by a fifth into a
/// frame that holds its border. (All springs pull, so that none of their balances is empty, and nothing buckles.)
app::ExperimentDocument membrane_document(sim::Index vertices);

/// Gives the free vertices of a membrane their velocities: a superposition of standing waves of 8 to 24 cells in every
/// direction, 0.5 m/s each, from a fixed seed. Springs of every direction are stretched by a few per cent, in their own
/// course of time; what varies from cell to cell would be beyond the integrator.
void pluck(diff::Scenario& scenario);

/// The springs with an end that moves: the others have no effect.
std::vector<sim::Index> moving_springs(const sim::Topology& topology);

}  // namespace pithball::experiments
