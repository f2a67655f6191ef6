#pragma once
#include <string>

#include "app/export/export_format.hpp"

namespace pithball::app {

/// Drops the states of a diverged motion that the format cannot hold, from the first state with a number that is not
/// finite or too large for single precision. Returns a sentence that says so; empty if nothing was dropped. Throws
/// InvalidArgument if no state remains.
std::string drop_unholdable_states(const ExportFormat& format, ExportedMotion& motion);

}  // namespace pithball::app
