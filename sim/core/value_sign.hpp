#pragma once

namespace pithball::sim {

/// Allowed signs of a value; determines the default transform of a fit (log if the sign is fixed).
enum class ValueSign { Any, NonNegative, Positive };

}  // namespace pithball::sim
