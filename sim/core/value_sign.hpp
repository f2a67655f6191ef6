#pragma once

namespace pithball::sim {

/// Which signs a value may take; decides the default transform of a fit (log where the sign is fixed).
enum class ValueSign { Any, NonNegative, Positive };

}  // namespace pithball::sim
