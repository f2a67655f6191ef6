#pragma once
#include <memory>
#include <vector>

#include "optim/measurement/instrument.hpp"

namespace pithball::optim {

/// Forces of supports [N].
const MeasurementKind& force_kind();

/// Rᵀ Σ (m a − F) + force_zero [N] over the held particles of each channel's group, with F the forces of the model: the
/// force of the support on the body.
std::shared_ptr<const Instrument> make_force_instrument(Index particles, std::vector<std::vector<Index>> groups);

}  // namespace pithball::optim
