#pragma once
#include <string>
#include <vector>

#include "optim/measurement/measurement_kind.hpp"

namespace pithball::optim {

/// All measurement kinds, in the order of lists.
const std::vector<const MeasurementKind*>& measurement_kinds();

/// The kind with this name; null if there is none.
const MeasurementKind* find_measurement_kind(const std::string& name);

}  // namespace pithball::optim
