#pragma once
#include <memory>
#include <vector>

#include "optim/measurement/instrument.hpp"
#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {

/// Distances between two points of the body [m].
const MeasurementKind& distance_kind();

/// |b − a| + distance_zero [m], by channel.
std::shared_ptr<const Instrument> make_distance_instrument(std::vector<PointPair> pairs);

}  // namespace pithball::optim
