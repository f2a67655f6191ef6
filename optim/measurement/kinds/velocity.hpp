#pragma once
#include <memory>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Velocities [m/s].
const MeasurementKind& velocity_kind();

/// Rᵀv [m/s].
std::shared_ptr<const Instrument> make_velocity_instrument();

}  // namespace pithball::optim
