#pragma once
#include <memory>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Positions [m].
const MeasurementKind& point_kind();

/// Positions of points in the recording's frame: Rᵀ(x − translation) [m]; `displacements`: Rᵀu of displacements u.
std::shared_ptr<const Instrument> make_point_instrument(bool displacements = false);

}  // namespace pithball::optim
