#pragma once
#include <vector>

#include "app/run_folder/fitted_values.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// The run of a fit as if it were of one of its recordings alone: that recording's own experiment, with its `set:`, as
/// it was before the fit; without motions, markers and results.
Run own_run(const Run& run, std::size_t recording);

/// What the fit found for the values of a recording's model, that of its `own_run`. Throws InvalidArgument if fit.json
/// tells values that the model has not.
std::vector<FittedValues> own_fitted_values(const FittedRecording& recording, const sim::Model& model);

}  // namespace pithball::app
