#pragma once
#include <string>
#include <vector>

#include "app/result/fitted_values.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// The run of a fit reduced to one recording: that recording's experiment, with its `set:`, as before the fit; without
/// motions, markers and results.
Run own_run(const Run& run, std::size_t recording);

/// The run of `plan --optimize` reduced to one designed recording of planned.yaml, with its `set:`; likewise.
Run designed_run(const Run& run, const std::string& recording);

/// The fitted values of a recording's model, that of its `own_run`. Throws InvalidArgument if fit.json contains values
/// that the model does not have.
std::vector<FittedValues> own_fitted_values(const FittedRecording& recording, const sim::Model& model);

}  // namespace pithball::app
