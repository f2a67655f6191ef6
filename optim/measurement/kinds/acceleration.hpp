#pragma once
#include <memory>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Readings of accelerometers [m/s²].
const MeasurementKind& acceleration_kind();

/// Reading of an accelerometer: Rᵀ(dv/dt − g) + acceleration_bias [m/s²], g the model's value `gravity` (0 without).
std::shared_ptr<const Instrument> make_acceleration_instrument();

}  // namespace pithball::optim
