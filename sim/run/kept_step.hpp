#pragma once
#include "sim/run/trajectory.hpp"

namespace pithball::sim {

class Stepper;

/// A step of a run that is kept.
struct KeptStep {
  State state;    ///< with velocities at its own time
  EnergyRow row;  ///< of the energy book
};

/// The present step of a run whose steps have this book, from the energy `start` [J] on.
KeptStep keep_step(const Stepper& stepper, const Losses& book, double start);

}  // namespace pithball::sim
