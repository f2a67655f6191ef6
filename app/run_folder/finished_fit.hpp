#pragma once
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// fit.json of a run. Throws InvalidArgument if the run is no finished fit, or none in which a value was fitted.
const FitRecord& finished_fit(const Run& run);

}  // namespace pithball::app
